import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react';
import { openQuestions } from './confirm.ts';
import { toastQueue } from './toast.ts';

const tryAgainMs = 2_000;

/** Loads the toasts and dialogs when the first one is needed, since a patient's page may have none. */
export function LazyOverlays() {
  const hasToast = useSyncExternalStore(toastQueue.subscribe, () => toastQueue.get().length > 0);
  const hasQuestion = useSyncExternalStore(openQuestions.subscribe, () => openQuestions.get().length > 0);
  const [loaded, setLoaded] = useState<{ Overlays: ComponentType }>();
  const isMissing = (hasToast || hasQuestion) && !loaded;
  useEffect(() => {
    if (!isMissing) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Loading fails while offline; pending toasts are shown once it works.
    const load = () =>
      void import('./Overlays.tsx').then(setLoaded, () => {
        timer = setTimeout(load, tryAgainMs);
      });
    load();
    return () => clearTimeout(timer);
  }, [isMissing]);
  return loaded && <loaded.Overlays />;
}
