import { cancelMyVisit as call } from '@roomside/contract/my-visits/calls.ts';
import { sql } from 'kysely';
import { createAccessCode, storedCode } from '../../platform/access-code.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { lockOwnVisit } from './own-visit.ts';

/** Cancels one of the patient's visits within the notice period: its time is free again, its link ends. */
export const cancelMyVisit = forPatient(
  call,
  async ({ context, caller, params, body, tx, now, touched, afterCommit }) => {
    const { companyId, patientId } = caller;
    const visit = await lockOwnVisit(tx, caller, params.uid, body.version, now);
    const appointmentId = visit.appointment_id;
    touched('appointmentId', appointmentId);
    await tx
      .updateTable('appointments')
      .set({
        cancelled: true,
        cancelled_at: now,
        version: visit.version + 1,
        calendar_sequence: visit.calendar_sequence + 1,
        ...(await storedCode(tx, context.keys, createAccessCode(), {
          companyId,
          appointmentUid: visit.appointment_uid,
          now,
        })),
      })
      .where('appointment_id', '=', appointmentId)
      .execute();
    await queueNotification(tx, context, {
      companyId,
      appointmentId,
      patientId,
      kind: 'cancelled',
      byUserId: null,
      now,
    });
    await sql`select end_patient_sign_ins(${appointmentId}, ${now})`.execute(tx);
    afterCommit(() => context.push.schedule(companyId));
    return undefined;
  },
);
