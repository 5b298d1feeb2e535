/**
 * Returns the code with which the server refused a hub call; undefined for any other failure. The client prefixes its own
 * text, and one code may be the end of another.
 */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof Error ? /HubException: ([\w-]+)\s*$/.exec(error.message)?.[1] : undefined;
}
