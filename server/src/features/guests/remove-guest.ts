import { removeGuest as call } from '@roomside/contract/guests/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { senderOf } from '../../platform/caller.ts';
import { removeGuest as withdraw } from '../../platform/end-sign-ins.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { findRoom, lockVisit } from '../room/visit-rows.ts';
import { lockGuest } from './guest-rows.ts';

/**
 * Withdraws an invitation. The hub closes the guest's connections; the pages in the room end their connections with the guest's device,
 * which does not need the server any more.
 */
export const removeGuest = forStaff(call, async ({ context, caller, params, tx, now, touched, afterCommit }) => {
  const room = await findRoom(tx, caller, normalizeUid(params.uid));
  if (!room) throw notFound();
  const { appointment_id: appointmentId, appointment_uid: session, company_id: companyId } = room;
  touched('appointmentId', appointmentId);
  // In the order of Subscribe: a guest who enters now is in the list below, or is refused.
  await lockVisit(tx, companyId, appointmentId);
  const { guest_id: guestId } = await lockGuest(tx, appointmentId, params.guestId, now);
  await withdraw({ tx, context, now }, guestId);
  const peers = await tx
    .selectFrom('peers')
    .select('peer_id')
    .distinct()
    .where('appointment_id', '=', appointmentId)
    .where('guest_id', '=', guestId)
    .execute();
  afterCommit(() => {
    for (const { peer_id: peerId } of peers)
      context.push.room(session, { type: messageType.guestRemoved, session, peerId }, senderOf(caller));
  });
  return undefined;
});
