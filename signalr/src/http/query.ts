/** The first value under a name, in any case of letters, as ASP.NET Core compares them. */
export function param(params: URLSearchParams, name: string): string | undefined {
  const exact = params.get(name);
  if (exact !== null) return exact;
  for (const [key, value] of params) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}
