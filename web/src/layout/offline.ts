import { hub } from '../hub/hub.ts';

const fromKey = 'offline:from';

/** Remembers which page could not be opened, for the way back. */
export function rememberOffline(path: string): void {
  sessionStorage.setItem(fromKey, path);
}

/** The page that could not be opened, once; undefined when /offline was entered from a page in the history. */
export function takeOffline(): string | undefined {
  const path = sessionStorage.getItem(fromKey) ?? undefined;
  sessionStorage.removeItem(fromKey);
  return path;
}

/** True when the server answers; CALL-32. */
export async function ping(): Promise<boolean> {
  try {
    return (await fetch('/ping', { cache: 'no-store', signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

/** MISSING-2: the hub starts again where it had given up. */
export function reconnectHub(): void {
  hub.restart();
}
