import { messageType, type Sender } from '@roomside/contract/room/messages.ts';
import { peerIdOf, type StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';

/** A member of staff as a message's sender. */
export function staffSender(caller: StaffCaller): Sender {
  const { firstName, lastName, userId, role } = caller;
  return { peerId: peerIdOf(caller), roleId: role, userId, patientId: null, firstName, lastName };
}

/**
 * Cancelling closes an open room with a clear word (decisions, 6): answers the push to make after the commit.
 */
export async function endRoomForPatients(
  tx: Tx,
  context: Context,
  caller: StaffCaller,
  appointmentId: number,
): Promise<() => void> {
  const { appointment_uid } = await tx
    .selectFrom('appointments')
    .select('appointment_uid')
    .where('appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  const payload = { cancelled: true };
  return () =>
    context.push.room(
      appointment_uid,
      { type: messageType.callEnded, session: appointment_uid, payload },
      staffSender(caller),
    );
}
