/**
 * The code with which the server refused a call of the hub; undefined for any other failure. The client puts its own
 * words before it, and one code may be the end of another.
 */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof Error ? /HubException: ([\w-]+)\s*$/.exec(error.message)?.[1] : undefined;
}
