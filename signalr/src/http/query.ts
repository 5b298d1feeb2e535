/** The first value under a name, in any case of letters, as ASP.NET Core compares them. */
export function param(params: URLSearchParams, name: string): string | undefined {
  const exact = params.get(name);
  if (exact !== null) return exact;
  for (const [key, value] of params) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}

/** What the application may see of a connection's query. */
export function publicSearch(params: URLSearchParams): string {
  const rest = new URLSearchParams();
  for (const [key, value] of params) {
    const name = key.toLowerCase();
    if (name !== 'id' && name !== 'access_token') rest.append(key, value);
  }
  return rest.toString();
}
