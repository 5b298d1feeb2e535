import { isChargeable } from '@roomside/contract/money.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { may } from '@roomside/contract/permissions.ts';
import { getTeleappointment as call } from '@roomside/contract/room/calls.ts';
import { peerIdOf, type RoomCaller } from '../../platform/caller.ts';
import { forPeers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { appointmentRows } from '../appointments/appointment-rows.ts';
import { paymentColumns, takesPayments } from '../charges/page-processor.ts';
import { iceServersFor } from './ice-servers.ts';
import { readRecordingState } from './recording-rows.ts';
import { firstJoin } from './visit-rows.ts';

/** Patients have their own appointments, guests the one that they were invited to. */
const isOwn = (caller: RoomCaller, row: { appointment_id: number; patient_id: number }): boolean =>
  caller.kind === 'staff' ||
  (caller.kind === 'guest' ? row.appointment_id === caller.appointmentId : row.patient_id === caller.patientId);

/** CALL-8, ENTITY-19: what the page of a room needs. */
export const getTeleappointment = forPeers(call, async ({ context, caller, params, tx, now, touched }) => {
  const row = await appointmentRows(tx)
    .select(['a.welcome_message', 'v.closed', 'v.held', 'v.expected_at'])
    .where('a.appointment_uid', '=', normalizeUid(params.uid))
    .executeTakeFirst();
  if (!row || !isOwn(caller, row)) throw notFound();
  touched('appointmentId', row.appointment_id);
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', 'visit_limit', 'allow_recording', 'support_email', ...paymentColumns])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const recording = await readRecordingState(tx, row.appointment_id, now);
  const isGuest = caller.kind === 'guest';
  const hasProcessor = takesPayments(company);
  return {
    appointment: {
      appointmentId: isGuest ? 0 : row.appointment_id,
      appointmentUid: row.appointment_uid,
      startDate: row.starts_at,
      endDate: row.ends_at,
      patientId: isGuest ? 0 : row.patient_id,
      patient: { firstName: row.patient_first, lastName: row.patient_last },
      doctorId: row.doctor_id,
      doctor: { userId: row.doctor_id, firstName: row.doctor_first, lastName: row.doctor_last },
      cancelled: row.cancelled,
      ended: row.closed ?? false,
      chargeable:
        !isGuest &&
        isChargeable({
          fee: row.fee,
          collected: row.collected,
          cancelled: row.cancelled,
          hasProcessor,
          currency: caller.currency,
        }),
      welcomeMessage: isGuest ? '' : row.welcome_message,
      recorded: recording.recorded,
      duration: isGuest ? 0 : row.duration,
    },
    waiting: { held: row.held ?? false, expectedAt: row.expected_at },
    companyName: company.company_name,
    timeZone: caller.timeZone,
    supportEmail: company.support_email,
    limit: company.visit_limit,
    joinedAt: caller.kind === 'staff' ? await firstJoin(tx, row.appointment_id, caller.userId) : null,
    canRecord: company.allow_recording && may(caller.role, 'recording.make'),
    recording,
    iceServers: iceServersFor(context.settings, row.appointment_uid, context.clock.now()),
    peerId: peerIdOf(caller),
    now,
  };
});
