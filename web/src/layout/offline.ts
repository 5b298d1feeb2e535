import { hub } from '../hub/hub.ts';

const fromKey = 'offline:from';

/** Stores the page that could not be opened. */
export function rememberOffline(path: string): void {
  sessionStorage.setItem(fromKey, path);
}

/** Returns the page that could not be opened, once; undefined when /offline was entered from a page in the history. */
export function takeOffline(): string | undefined {
  const path = sessionStorage.getItem(fromKey) ?? undefined;
  sessionStorage.removeItem(fromKey);
  return path;
}

/** True when the server responds (CALL-32). */
export async function ping(): Promise<boolean> {
  try {
    return (await fetch('/ping', { cache: 'no-store', signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

/** MISSING-2: restarts a hub that gave up. */
export function reconnectHub(): void {
  hub.restart();
}
