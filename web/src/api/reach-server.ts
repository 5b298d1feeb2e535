/** Whether the server responds within `timeoutMs`. It needs neither a sign-in nor the database for the response. */
export async function reachServer(timeoutMs: number): Promise<boolean> {
  return fetch('/live', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
