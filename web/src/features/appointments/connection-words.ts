import type { ResultOf } from '@roomside/contract/call.ts';
import type { getVisitQuality } from '@roomside/contract/room/calls.ts';
import { texts } from './edit-texts.ts';

type VisitQuality = NonNullable<ResultOf<typeof getVisitQuality>['data']>;

/** From this part of the time on, a quality names the visit. */
const naming = 0.2;

/** One line about sound and video of a visit, such as "Good, 2 short interruptions". */
export function wordsForConnection({ goodSeconds, fairSeconds, poorSeconds, interruptions }: VisitQuality): string {
  const all = Math.max(1, goodSeconds + fairSeconds + poorSeconds);
  const isPoor = poorSeconds / all >= naming;
  const isFair = (poorSeconds + fairSeconds) / all >= naming;
  const quality = texts.connectionIs[isPoor ? 'poor' : isFair ? 'fair' : 'good'];
  return interruptions === 0 ? quality : texts.connectionWith(quality, interruptions);
}
