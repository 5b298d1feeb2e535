import { maxMovesPerDay } from '@roomside/contract/limits.ts';
import { moveMyAppointment as call } from '@roomside/contract/my-appointments/calls.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { changeAppointment, claimOf } from '../appointments/change-appointment.ts';
import { slotTaken } from '../appointments/provider-time.ts';
import { isOffered } from '../booking/is-offered.ts';
import { bookableDays } from '../booking/open-booking.ts';
import { lockOwnAppointment } from './own-appointment.ts';

/** Moves one of the patient's appointments to an offered start, before the clinic's notice period. */
export const moveMyAppointment = forPatient(call, async ({ params, body, touched, ...scope }) => {
  const { tx, caller, now } = scope;
  const before = await lockOwnAppointment(tx, caller, params.uid, body.version, now);
  touched('appointmentId', before.appointmentId);
  await requireFewMoves(tx, before.appointmentId, now);
  const startsAt = new Date(body.startDate).toISOString();
  const { doctorId, ...span } = before.state;
  const endsAt = new Date(Date.parse(startsAt) + Date.parse(span.endsAt) - Date.parse(span.startsAt)).toISOString();
  const claim = claimOf(scope, { doctorId, startsAt, endsAt }, { ignore: { appointmentId: before.appointmentId } });
  if (!(await isOffered(tx, claim, bookableDays(now, caller.timeZone)))) throw slotTaken(claim, null);
  const moved = await changeAppointment(scope, before, { kind: 'move', startsAt, doctorId });
  return { startDate: moved.startsAt, endDate: moved.endsAt, version: moved.version };
});

/**
 * Refuses a further move with `too-many-moves` after `maxMovesPerDay` in 24 hours. The contact may be another person's (decision 012), and
 * each move sends messages to it. The caller has locked the appointment's row.
 */
async function requireFewMoves(tx: Tx, appointmentId: number, now: string): Promise<void> {
  const { moves } = await tx
    .selectFrom('notification_logs')
    // A mail and a text message about one move have the same time.
    .select((eb) => eb.fn.count<string>('created_at').distinct().as('moves'))
    .where('appointment_id', '=', appointmentId)
    .where('kind', '=', 'newTime')
    .where('by_user_id', 'is', null)
    .where('created_at', '>', addMinutes(now, -24 * 60))
    .executeTakeFirstOrThrow();
  if (Number(moves) >= maxMovesPerDay) throw new Refusal('too-many-moves');
}
