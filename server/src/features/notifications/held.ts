import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import { deliveryTexts } from './texts.ts';

/** Start (ISO instant) and provider of an appointment. */
export interface Place {
  readonly startsAt: string;
  readonly doctorId: number;
}

/**
 * Drops the held messages about a new time. Returns the start and provider that the patient knows; undefined when no
 * message was held, or when a message with the current ones has been sent since.
 */
export async function dropHeld(tx: Tx, appointmentId: number, now: string): Promise<Place | undefined> {
  const [dropped] = await inOneTrip(tx, heldDropped({ appointmentId }));
  return knownPlace(tx, appointmentId, dropped, now);
}

/** The statement that drops the held messages about a new time. Returns the start and provider that the patient knew. */
export const heldDropped = prepared((tx, { appointmentId }: { appointmentId: number }) =>
  tx
    .updateTable('notification_logs')
    .set({ state: 'dropped', error: deliveryTexts.movedAgain, held_until: null })
    .where('appointment_id', '=', appointmentId)
    .where('kind', '=', 'newTime')
    .where('state', '=', 'queued')
    .where('held_until', 'is not', null)
    .returning(['created_at', 'known_starts_at', 'known_doctor_id']),
);

/** A dropped message about a new time, with the start and provider that the patient knew. */
export interface Held {
  readonly created_at: string;
  readonly known_starts_at: string | null;
  readonly known_doctor_id: number | null;
}

/** Returns the start and provider that the patient knows, from the rows of {@link heldDropped}; see {@link dropHeld}. */
export async function knownPlace(
  tx: Tx,
  appointmentId: number,
  [first]: readonly Held[],
  now: string,
): Promise<Place | undefined> {
  if (!first || first.known_starts_at === null || first.known_doctor_id === null) return undefined;
  const laterMessage = await tx
    .selectFrom('notification_logs')
    .select('notification_id')
    .where('appointment_id', '=', appointmentId)
    .where('patient_id', 'is not', null)
    .where((or) => or.or([or('sent_at', '>=', first.created_at), or('claimed_until', '>', now)]))
    .limit(1)
    .executeTakeFirst();
  return laterMessage ? undefined : { startsAt: first.known_starts_at, doctorId: first.known_doctor_id };
}
