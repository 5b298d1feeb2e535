import { cancelMyAppointment as call } from '@roomside/contract/my-appointments/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { changeAppointment } from '../appointments/change-appointment.ts';
import { requestRefund } from '../payments/refund.ts';
import { lockOwnAppointment } from './own-appointment.ts';

/** The reason that a refund without a user names. */
const cancelledByPatient = 'Cancelled by the patient.';

/** The company's rule for paid appointments that patients cancel in time. */
async function refundsByItself(tx: Tx, companyId: number): Promise<boolean> {
  const { refund_rule } = await tx
    .selectFrom('companies')
    .select('refund_rule')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return refund_rule === 'automatic';
}

/** Cancels one of the patient's appointments before the notice period, frees its time and revokes its link. */
export const cancelMyAppointment = forPatient(call, async ({ params, body, touched, ...scope }) => {
  const { tx, caller, now } = scope;
  const before = await lockOwnAppointment(tx, caller, params.uid, body.version, now);
  touched('appointmentId', before.appointmentId);
  await changeAppointment(scope, before, { kind: 'cancel' });
  if (await refundsByItself(tx, caller.companyId)) {
    await requestRefund(tx, before.appointmentId, { reason: cancelledByPatient, byUserId: null, now });
  }
  return undefined;
});
