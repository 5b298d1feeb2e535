import { listGuests as call } from '@roomside/contract/guests/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { findRoom } from '../room/visit-rows.ts';
import { readGuests } from './guest-rows.ts';

/** The invitations to a visit, with the links of those that are valid. */
export const listGuests = forStaff(call, async ({ context, caller, params, tx, now, touched }) => {
  const room = await findRoom(tx, caller, normalizeUid(params.uid));
  if (!room) throw notFound();
  touched('appointmentId', room.appointment_id);
  return { data: await readGuests(tx, context, caller, room.appointment_id, now) };
});
