import { lazy, Suspense, useSyncExternalStore } from 'react';
import { runningVisit } from './running-visit.ts';

const Corner = lazy(async () => ({ default: (await import('./view/RunningVisitCorner.tsx')).RunningVisitCorner }));

/** Shows the running visit on every page but its own. Loads nothing without one. */
export function RunningVisitFrame() {
  const running = useSyncExternalStore(runningVisit.subscribe, runningVisit.get);
  return <Suspense>{running && <Corner running={running} />}</Suspense>;
}
