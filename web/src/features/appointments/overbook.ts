import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { formatDateTime, formatTime, ownZone } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { texts } from './edit-texts.ts';

/**
 * Asks whether to double-book, and names the other appointment and free times. The appointment is missing when the provider
 * is busy for another reason, such as an external calendar.
 */
export async function asksToOverbook(current: Partial<TakenSlot> | undefined, zone: string): Promise<boolean> {
  const taken = current?.appointment;
  const at = (instant: string) => formatTime(instant, zone, ownZone());
  const text = taken
    ? texts.takenBy(`${taken.patient.firstName} ${taken.patient.lastName}`, at(taken.startDate), at(taken.endDate))
    : texts.takenQuestion;
  const free = (current?.free ?? []).slice(0, 3).map(({ startDate }) => formatDateTime(startDate, zone, ownZone()));
  const others = free.length > 0 ? ` ${texts.takenOthers(free.join('; '))}` : '';
  return confirm({
    title: taken ? texts.taken : texts.takenElsewhere,
    text: text + others,
    yes: texts.bookAnyway,
    no: texts.anotherTime,
  });
}
