/** Returns the first value of a parameter. Names are case-insensitive, as in ASP.NET Core. */
export function param(params: URLSearchParams, name: string): string | undefined {
  const exact = params.get(name);
  if (exact !== null) return exact;
  for (const [key, value] of params) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}
