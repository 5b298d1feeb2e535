import { sendGuestLink as call } from '@roomside/contract/guests/calls.ts';
import { maxGuestMessages } from '@roomside/contract/limits.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { requireTrialMessage } from '../../platform/trials.ts';
import { findRoom } from '../room/visit-rows.ts';
import { type GuestLinkJob, guestLinkQueue } from './deliver-guest-link.ts';
import { lockGuest } from './guest-rows.ts';

/** Queues the message with the link. */
export const sendGuestLink = forStaff(call, async ({ context, caller, params, tx, now, touched }) => {
  const room = await findRoom(tx, caller, normalizeUid(params.uid));
  if (!room) throw notFound();
  touched('appointmentId', room.appointment_id);
  const guest = await lockGuest(tx, room.appointment_id, params.guestId, now);
  if (guest.contact.length === 0) throw new Refusal('no-contact');
  if (!guest.is_valid) throw new Refusal('visit-over');
  if (guest.sends >= maxGuestMessages) throw new Refusal('too-many');
  await requireTrialMessage(tx, caller.companyId, now);
  await tx
    .updateTable('visit_guests')
    .set({ sent_at: now, sends: guest.sends + 1 })
    .where('guest_id', '=', guest.guest_id)
    .execute();
  const job: GuestLinkJob = { companyId: caller.companyId, guestId: guest.guest_id, number: guest.sends + 1 };
  await context.jobs.send(tx, guestLinkQueue, job);
  return undefined;
});
