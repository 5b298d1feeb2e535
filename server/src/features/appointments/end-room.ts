import { messageType } from '@roomside/contract/room/messages.ts';
import { type PatientCaller, type StaffCaller, senderOf } from '../../platform/caller.ts';
import type { Push } from '../../platform/context.ts';

/** Notifies the peers in a room that its appointment was cancelled; their pages leave the room. */
export function pushRoomEnded(push: Push, appointmentUid: string, caller: StaffCaller | PatientCaller): void {
  const message = { type: messageType.callEnded, session: appointmentUid, payload: { cancelled: true } } as const;
  push.room(appointmentUid, message, senderOf(caller));
}
