import type { Sender } from '@roomside/contract/room/messages.ts';
import { type PatientCaller, peerIdOf, type StaffCaller } from '../../platform/caller.ts';
import type { MessagingContext } from './hub-types.ts';
import type { Room } from './visit-rows.ts';

/** A connection's seat in a room, kept with the connection. */
export interface RoomMembership {
  room: Room;
  sender: Sender;
  caller: StaffCaller | PatientCaller;
  /** The stay that began with it; what is done late must not end one that began since. */
  stayId: number;
  /** When this seat's last messages were sent, ms. */
  chatTimes: number[];
}

/** The seats of a connection, by room. */
export function membershipsOf(ctx: MessagingContext): Map<string, RoomMembership> {
  let seats = ctx.items.get('seats') as Map<string, RoomMembership> | undefined;
  if (!seats) ctx.items.set('seats', (seats = new Map()));
  return seats;
}

/** Nobody in particular: something changed. */
export const systemSender: Sender = {
  peerId: '',
  roleId: 'U',
  userId: null,
  patientId: null,
  firstName: '',
  lastName: '',
};

/** Who the others see. */
export function senderOf(caller: StaffCaller | PatientCaller): Sender {
  return {
    peerId: peerIdOf(caller),
    roleId: caller.role,
    userId: caller.kind === 'staff' ? caller.userId : null,
    patientId: caller.kind === 'patient' ? caller.patientId : null,
    firstName: caller.firstName,
    lastName: caller.lastName,
  };
}
