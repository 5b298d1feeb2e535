import type { MoveNotice, ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { dateOf, formatTime, ownZone } from '../../time/time.ts';
import { whenIs } from '../appointments/contact.ts';
import { texts } from './texts.ts';

interface Moved {
  from: Pick<ScheduleEntry, 'startDate'>;
  to: Pick<ScheduleEntry, 'startDate' | 'patient'>;
  /** The name of the provider to whom it moved. */
  provider: string;
  /** The clinic's zone. */
  zone: string;
  /** What the patient receives about it. */
  notice: MoveNotice;
  isUndo: boolean;
}

/**
 * 'Noah Nguyen moved to 9:30 AM. They’ll be notified in 10 seconds.'; with the day when it is another one, and with the provider when the time
 * is the same.
 */
export function wordsForMove({ from, to, provider, zone, notice, isUndo }: Moved): string {
  const [last = '', first = ''] = to.patient.split(', ');
  const isSameDay = dateOf(to.startDate, zone) === dateOf(from.startDate, zone);
  const when = isSameDay ? formatTime(to.startDate, zone, ownZone()) : whenIs(to.startDate, zone);
  const where = Date.parse(to.startDate) === Date.parse(from.startDate) ? provider : when;
  const what = isUndo ? texts.movedBack : texts.moved;
  // The patient knows only the former time when the message about the move was above the limit.
  const why = isUndo && (notice === 'none' || notice === 'trialLimit') ? texts.nothingSent : texts.moveNotice[notice];
  return `${what(`${first} ${last}`.trim(), where)} ${why}`.trim();
}
