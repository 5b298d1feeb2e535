import { lazy, Suspense, useSyncExternalStore } from 'react';
import { openQuestions } from './confirm.ts';
import { toastQueue } from './toast.ts';

const Overlays = lazy(async () => ({ default: (await import('./Overlays.tsx')).Overlays }));

/** Loads what shows toasts and questions with the first of them: a patient's page may never have one. */
export function LazyOverlays() {
  const hasToast = useSyncExternalStore(toastQueue.subscribe, () => toastQueue.get().length > 0);
  const hasQuestion = useSyncExternalStore(openQuestions.subscribe, () => openQuestions.get().length > 0);
  // Once it is there it stays: a dialog that closes fades away.
  if (hasToast || hasQuestion) isWanted = true;
  return <Suspense>{isWanted && <Overlays />}</Suspense>;
}

let isWanted = false;
