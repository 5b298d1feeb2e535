import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react';
import { openQuestions } from './confirm.ts';
import { toastQueue } from './toast.ts';

const tryAgainMs = 2_000;

/** Loads what shows toasts and questions with the first of them, since a patient's page may never have one. */
export function LazyOverlays() {
  const hasToast = useSyncExternalStore(toastQueue.subscribe, () => toastQueue.get().length > 0);
  const hasQuestion = useSyncExternalStore(openQuestions.subscribe, () => openQuestions.get().length > 0);
  const [loaded, setLoaded] = useState<{ Overlays: ComponentType }>();
  const isMissing = (hasToast || hasQuestion) && !loaded;
  useEffect(() => {
    if (!isMissing) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Without a connection it cannot be loaded; what waits to be said is said once it can.
    const load = () =>
      void import('./Overlays.tsx').then(setLoaded, () => {
        timer = setTimeout(load, tryAgainMs);
      });
    load();
    return () => clearTimeout(timer);
  }, [isMissing]);
  return loaded && <loaded.Overlays />;
}
