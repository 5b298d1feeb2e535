import { isChargeable } from '@roomside/contract/money.ts';
import { may } from '@roomside/contract/permissions.ts';
import { getTeleappointment as call } from '@roomside/contract/room/calls.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import { peerIdOf } from '../../platform/caller.ts';
import { forRoom } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { appointmentRows } from '../appointments/appointment-rows.ts';
import { iceServersFor } from './ice-servers.ts';
import { readRecordingState } from './recording-rows.ts';

/** CALL-8, ENTITY-19: what the page of a room needs. A patient gets their own appointments only. */
export const getTeleappointment = forRoom(call, async ({ context, caller, params, tx, now, touched }) => {
  const row = await appointmentRows(tx)
    .select(['a.welcome_message', 'v.closed', 'v.held', 'v.expected_at'])
    .where('a.appointment_uid', '=', normaliseUid(params.uid))
    .executeTakeFirst();
  if (!row || (caller.kind === 'patient' && row.patient_id !== caller.patientId)) throw notFound();
  touched('appointmentId', row.appointment_id);
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', 'visit_limit', 'allow_recording', 'support_email', 'payment_processor'])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const recording = await readRecordingState(tx, row.appointment_id, now);
  const hasProcessor = company.payment_processor !== null;
  return {
    appointment: {
      appointmentId: row.appointment_id,
      appointmentUid: row.appointment_uid,
      startDate: row.starts_at,
      endDate: row.ends_at,
      patientId: row.patient_id,
      patient: { firstName: row.patient_first, lastName: row.patient_last },
      doctorId: row.doctor_id,
      doctor: { userId: row.doctor_id, firstName: row.doctor_first, lastName: row.doctor_last },
      cancelled: row.cancelled,
      ended: row.closed ?? false,
      chargeable: isChargeable({ fee: row.fee, collected: row.collected, cancelled: row.cancelled, hasProcessor }),
      welcomeMessage: row.welcome_message,
      recorded: recording.recorded,
      duration: row.duration,
    },
    waiting: { held: row.held ?? false, expectedAt: row.expected_at },
    companyName: company.company_name,
    timeZone: caller.timeZone,
    supportEmail: company.support_email,
    limit: company.visit_limit,
    canRecord: company.allow_recording && may(caller.role, 'recording.make'),
    recording,
    iceServers: iceServersFor(context.settings, row.appointment_uid, context.clock.now()),
    peerId: peerIdOf(caller),
    now,
  };
});
