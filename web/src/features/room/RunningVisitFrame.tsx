import { useSyncExternalStore } from 'react';
import { later } from '../../ui/later.tsx';
import { runningVisit } from './running-visit.ts';

const Corner = later(async () => (await import('./view/RunningVisitCorner.tsx')).RunningVisitCorner);

/** Shows the running visit on every page but its own. Loads nothing without one. */
export function RunningVisitFrame() {
  const running = useSyncExternalStore(runningVisit.subscribe, runningVisit.get);
  return running && <Corner running={running} />;
}
