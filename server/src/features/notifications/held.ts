import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import { deliveryTexts } from './texts.ts';

/** Where an appointment is: its start (ISO instant) and provider. */
export interface Place {
  readonly startsAt: string;
  readonly doctorId: number;
}

/**
 * Drops the messages about a new time that wait. Returns what the patient knows, undefined when none waited or when a
 * message has left since: that one told the latest.
 */
export async function dropHeld(tx: Tx, appointmentId: number, now: string): Promise<Place | undefined> {
  const [dropped] = await inOneTrip(tx, heldDropped({ appointmentId }));
  return knownPlace(tx, appointmentId, dropped, now);
}

/** The statement that drops the messages about a new time that wait; its rows are what they would have replaced. */
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

/** A message about a new time that waited, and where the patient takes the appointment to be. */
export interface Held {
  readonly created_at: string;
  readonly known_starts_at: string | null;
  readonly known_doctor_id: number | null;
}

/** What the patient knows of an appointment whose waiting messages were dropped, as {@link dropHeld} returns it. */
export async function knownPlace(
  tx: Tx,
  appointmentId: number,
  [first]: readonly Held[],
  now: string,
): Promise<Place | undefined> {
  if (!first || first.known_starts_at === null || first.known_doctor_id === null) return undefined;
  const since = await tx
    .selectFrom('notification_logs')
    .select('notification_id')
    .where('appointment_id', '=', appointmentId)
    .where('patient_id', 'is not', null)
    .where((or) => or.or([or('sent_at', '>=', first.created_at), or('claimed_until', '>', now)]))
    .limit(1)
    .executeTakeFirst();
  return since ? undefined : { startsAt: first.known_starts_at, doctorId: first.known_doctor_id };
}
