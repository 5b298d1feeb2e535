import { messageType } from '@roomside/contract/room/messages.ts';
import { type PatientCaller, type StaffCaller, senderOf } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';

interface Change {
  readonly tx: Tx;
  readonly caller: StaffCaller | PatientCaller;
  readonly afterCommit: AfterCommit;
}

/** Lets the rooms of appointments read their files again, after the commit. */
export async function pushFilesChanged(
  { push }: Context,
  { tx, caller, afterCommit }: Change,
  appointmentIds: readonly number[],
): Promise<void> {
  const rooms = await tx
    .selectFrom('appointments')
    .select('appointment_uid')
    .where('appointment_id', 'in', appointmentIds)
    .execute();
  afterCommit(() => {
    for (const { appointment_uid: session } of rooms) {
      push.roomWithoutGuests(session, { type: messageType.filesChanged, session }, senderOf(caller));
    }
  });
}
