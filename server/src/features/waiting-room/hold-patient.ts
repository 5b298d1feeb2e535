import { holdPatient as call } from '@roomside/contract/waiting-room/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { pushWaiting } from '../appointments/push-room.ts';
import { lockWaiting } from './waiting-visit.ts';

/** Tells a waiting patient that it takes a little longer. */
export const holdPatient = forStaff(call, async ({ context, caller, params, body, tx, afterCommit, touched }) => {
  const { appointment_id, appointment_uid: appointmentUid, doctor_id } = await lockWaiting(tx, caller, params.uid);
  touched('appointmentId', appointment_id);
  await tx.updateTable('visits').set({ held: body.held }).where('appointment_id', '=', appointment_id).execute();
  afterCommit(() => pushWaiting(context.push, caller, { appointmentUid, doctorIds: [doctor_id] }));
  return undefined;
});
