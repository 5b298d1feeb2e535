import { registerSW } from 'virtual:pwa-register';

const checkEveryMs = 6 * 3600 * 1000;

/** Reloads into the new version; undefined while there is none. */
let reload: (() => void) | undefined;
const listeners = new Set<() => void>();

/** Registers the service worker once and looks for a new version every 6 hours (MENU-6, CONST-13). */
export function registerWorker(): void {
  const update = registerSW({
    immediate: true,
    onNeedRefresh: () => {
      reload = () => void update(true);
      for (const listener of [...listeners]) listener();
    },
    onRegisteredSW: (_url, registration) => {
      // Without a connection the check fails; the next one comes.
      if (registration) setInterval(() => registration.update().catch(() => undefined), checkEveryMs);
    },
  });
}

/** Calls back when a new version is ready, also when it already is; returns the way to stop. */
export function onNewVersion(listener: (reload: () => void) => void): () => void {
  const tell = () => reload && listener(reload);
  listeners.add(tell);
  tell();
  return () => listeners.delete(tell);
}
