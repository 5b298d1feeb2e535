import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { formatTime, ownZone } from '../../time/time.ts';
import { choose } from '../../ui/confirm.ts';
import { whenIs } from './contact.ts';
import { texts } from './edit-texts.ts';

/**
 * Asks whether to double-book, names the other appointment and offers free times. Resolves with 'overbook', the start of the
 * chosen free time, or null. The appointment is missing when the provider is busy for another reason, such as an external calendar.
 */
export function askAboutTaken(current: Partial<TakenSlot> | undefined, zone: string): Promise<string | null> {
  const taken = current?.appointment;
  const at = (instant: string) => formatTime(instant, zone, ownZone());
  const text = taken
    ? texts.takenBy(`${taken.patient.firstName} ${taken.patient.lastName}`, at(taken.startDate), at(taken.endDate))
    : texts.takenQuestion;
  const free = (current?.free ?? []).slice(0, 3);
  return choose<string | null>({
    title: taken ? texts.taken : texts.takenElsewhere,
    text: free.length > 0 ? `${text} ${texts.takenOthers}` : text,
    choices: [
      ...free.map(({ startDate }) => ({
        value: startDate,
        label: whenIs(startDate, zone),
        look: 'secondary' as const,
      })),
      { value: null, label: texts.anotherTime },
      { value: 'overbook', label: texts.bookAnyway, look: 'danger-primary' },
    ],
  });
}
