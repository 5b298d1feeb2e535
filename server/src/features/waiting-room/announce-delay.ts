import { addMinutes } from '@roomside/contract/time.ts';
import { announceDelay as call } from '@roomside/contract/waiting-room/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { pushWaiting } from '../appointments/push-room.ts';
import { arrivalScopeOf } from './arrived-rows.ts';
import { waitingVisits } from './waiting-visit.ts';

/** Tells the waiting patients of one or of all providers when they can expect their provider. */
export const announceDelay = forStaff(call, async ({ context, caller, body, tx, afterCommit, now, touched }) => {
  const { companyId, doctorId = body.doctorId } = arrivalScopeOf(caller);
  const scope = doctorId === null ? { companyId } : { companyId, doctorId };
  // In one order, so that two delays at the same time do not wait for each other.
  const waiting = await waitingVisits(tx, scope)
    .select('v.appointment_id')
    .orderBy('v.appointment_id')
    .forUpdate('v')
    .execute();
  const ids = waiting.map((row) => row.appointment_id);
  touched('appointments', ids);
  if (ids.length === 0) return 0;
  await tx
    .updateTable('visits')
    .set({ expected_at: addMinutes(now, body.minutes) })
    .where('appointment_id', 'in', ids)
    .execute();
  const rooms = await tx
    .selectFrom('appointments')
    .select(['appointment_uid', 'doctor_id'])
    .where('appointment_id', 'in', ids)
    .execute();
  afterCommit(() => {
    for (const { appointment_uid: appointmentUid, doctor_id } of rooms)
      pushWaiting(context.push, caller, { appointmentUid, doctorIds: [doctor_id] });
  });
  return ids.length;
});
