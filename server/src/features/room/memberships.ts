import type { Sender } from '@roomside/contract/room/messages.ts';
import type { RoomCaller } from '../../platform/caller.ts';
import type { MessagingContext } from './hub-types.ts';
import type { Room } from './visit-rows.ts';

/** A peer's place in a room on one connection. Stored in the connection's items. */
export interface RoomMembership {
  room: Room;
  sender: Sender;
  caller: RoomCaller;
  /** The attendance that began with it. A late retry ends this one only, not one that began since. */
  attendanceId: number;
  /** When the last chat messages were sent, ms; for the rate limit. */
  chatTimes: number[];
  /** When this peer last ended the visit, ms; 0 = never. */
  endedAt: number;
}

/** The memberships of a connection, by the room's uid. */
export function membershipsOf(ctx: MessagingContext): Map<string, RoomMembership> {
  let memberships = ctx.items.get('memberships') as Map<string, RoomMembership> | undefined;
  if (!memberships) ctx.items.set('memberships', (memberships = new Map()));
  return memberships;
}

/** The sender of messages that no person caused. */
export const systemSender: Sender = {
  peerId: '',
  roleId: 'U',
  userId: null,
  patientId: null,
  firstName: '',
  lastName: '',
};
