import { messageType, type PushedMessage, type Sender } from '@roomside/contract/room/messages.ts';
import { type PatientCaller, type StaffCaller, senderOf } from '../../platform/caller.ts';
import type { Push } from '../../platform/context.ts';

/** Notifies the peers in a room that its appointment was cancelled; their pages leave the room. Call after the commit. */
export function pushRoomEnded(push: Push, appointmentUid: string, caller: StaffCaller | PatientCaller): void {
  const session = appointmentUid;
  const message: PushedMessage =
    caller.kind === 'patient'
      ? { type: messageType.cancelledByPatient, session }
      : { type: messageType.callEnded, session, payload: { cancelled: true } };
  push.room(appointmentUid, message, senderOf(caller));
}

/** Makes the pages in a room read the visit again. Call after the commit. */
export function pushVisitChanged(push: Push, appointmentUid: string, sender: Sender): void {
  push.room(appointmentUid, { type: messageType.waitingChanged, session: appointmentUid }, sender);
}

/** Makes the pages in a room read the visit again, and those of these providers' staff who waits. Call after the commit. */
export function pushWaiting(
  push: Push,
  caller: StaffCaller | PatientCaller,
  { appointmentUid, doctorIds }: { appointmentUid: string; doctorIds: readonly number[] },
): void {
  const sender = senderOf(caller);
  pushVisitChanged(push, appointmentUid, sender);
  const changed = { type: messageType.presenceChanged, session: appointmentUid } as const;
  for (const doctorId of new Set(doctorIds)) push.staffOf(caller.companyId, doctorId, changed, sender);
}
