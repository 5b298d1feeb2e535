import type { PlannedSegment } from '../room/recording/join-track.ts';
import type { TimelineSegment } from './timeline.ts';

/**
 * Plans one file of the segments of a track, which are ordered by their start. Each begins as long after the first as it was recorded,
 * so that times without a recording stay. Where two overlap, the earlier one ends; one that lies within the one before is left out.
 */
export function planSegments(segments: readonly TimelineSegment[]): PlannedSegment[] {
  const origin = segments[0]?.start ?? 0;
  const plan: PlannedSegment[] = [];
  for (const { id, start, stop } of segments) {
    const planned = { id, from: (start - origin) / 1000, until: (stop - origin) / 1000 };
    const last = plan.at(-1);
    if (last && planned.until <= last.until) continue;
    if (last && planned.from < last.until) plan[plan.length - 1] = { ...last, until: planned.from };
    plan.push(planned);
  }
  return plan.filter(({ from, until }) => from < until);
}

/** Shorter times between segments are not worth a word, s. */
const smallGap = 1;

/** Whether the track has times without a recording. */
export const hasGaps = (plan: readonly PlannedSegment[]): boolean =>
  plan.some(({ from }, index) => from - (plan[index - 1]?.until ?? from) > smallGap);
