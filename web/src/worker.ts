import { registerSW } from 'virtual:pwa-register';

const checkIntervalMs = 6 * 3600 * 1000;

let registered: ServiceWorkerRegistration | undefined;
/** Reloads into the new version; undefined when there is none. */
let reload: (() => void) | undefined;
const listeners = new Set<() => void>();

/** Registers the service worker once and checks for a new version every 6 hours (MENU-6, CONST-13). */
export function registerWorker(): void {
  const update = registerSW({
    immediate: true,
    onNeedRefresh: () => {
      reload = () => {
        const next = registered?.waiting;
        // On the first visit no worker controls the page, so the state of the new one is observed.
        if (next) next.addEventListener('statechange', () => next.state === 'activated' && location.reload());
        else location.reload();
        void update(true);
      };
      for (const listener of [...listeners]) listener();
    },
    onRegisteredSW: (_url, registration) => {
      registered = registration;
      // While offline the check fails; the next one follows.
      if (registration) setInterval(() => registration.update().catch(() => undefined), checkIntervalMs);
    },
  });
}

/** Calls back when a new version is ready, also when it already is; the returned function stops. */
export function onNewVersion(listener: (reload: () => void) => void): () => void {
  const notify = () => reload && listener(reload);
  listeners.add(notify);
  notify();
  return () => listeners.delete(notify);
}

const checkAgainMs = 60_000;

/**
 * MENU-6: reloads into a new version as soon as `isFree`, without a question; undefined ends it. For the light page, which
 * has no dialogs.
 */
export function reloadWhenFree(isFree: () => boolean | undefined): void {
  onNewVersion(function attempt(reload) {
    const free = isFree();
    if (free) reload();
    else if (free === false) setTimeout(() => attempt(reload), checkAgainMs);
  });
}
