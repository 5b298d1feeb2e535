import { getGuestVisit as call } from '@roomside/contract/guests/calls.ts';
import { peerIdOf } from '../../platform/caller.ts';
import { forGuest } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { whyNoPlace } from '../room/guest-place.ts';
import { presentPeers } from '../room/peer-rows.ts';

/** The visit of the signed-in guest: nothing about the patient. */
export const getGuestVisit = forGuest(call, async ({ caller, tx, now }) => {
  const row = await tx
    .selectFrom('appointments as a')
    .innerJoin('users as u', 'u.user_id', 'a.doctor_id')
    .innerJoin('companies as c', 'c.company_id', 'a.company_id')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select(['a.appointment_uid', 'a.starts_at', 'u.first_name', 'u.last_name', 'c.company_name'])
    .select('v.closed')
    .where('a.appointment_id', '=', caller.appointmentId)
    .executeTakeFirst();
  if (!row) throw notFound();
  const peerId = peerIdOf(caller);
  const others = await presentPeers(tx, caller.appointmentId, peerId);
  const why = await whyNoPlace(tx, caller.appointmentId, peerId, others, now);
  return {
    appointmentUid: row.appointment_uid,
    name: caller.firstName,
    companyName: row.company_name,
    doctor: { firstName: row.first_name, lastName: row.last_name },
    startDate: row.starts_at,
    timeZone: caller.timeZone,
    isOpen: why !== 'no-provider' && !row.closed,
  };
});
