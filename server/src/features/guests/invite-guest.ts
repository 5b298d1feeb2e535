import { inviteGuest as call } from '@roomside/contract/guests/calls.ts';
import { maxGuests } from '@roomside/contract/limits.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { sql } from 'kysely';
import { newUid } from '../../platform/access-code.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { toE164 } from '../../platform/phone.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { findRoom, lockVisit } from '../room/visit-rows.ts';
import { createLinkSecret, hashLink, readGuests } from './guest-rows.ts';

/** How long a link lasts beyond the planned end of a visit that ends near midnight, minutes. */
const minutesAfterEnd = 120;

/**
 * Creates an invitation. It is valid until the visit ends, at the longest until the end of the visit's day by the company's clock, or of
 * today when that is later.
 */
export const inviteGuest = forStaff(call, async ({ context, caller, params, body, tx, now, touched }) => {
  const uid = normalizeUid(params.uid);
  const found = await findRoom(tx, caller, uid);
  if (!found) throw notFound();
  const { company_id: companyId, appointment_id: appointmentId } = found;
  touched('appointmentId', appointmentId);
  await lockVisit(tx, companyId, appointmentId);
  // Read again: it may have changed before the lock.
  const room = await findRoom(tx, caller, uid);
  if (!room) throw notFound();
  const { patient_id: patientId } = room;
  if (room.cancelled) throw new Refusal('appointment-cancelled');
  if (room.closed) throw new Refusal('visit-over');
  const known = await readGuests(tx, context, caller, appointmentId, now);
  if (known.filter(({ link }) => link !== '').length >= maxGuests) throw new Refusal('too-many-guests');
  const secret = createLinkSecret();
  const guestUid = newUid();
  const { keys } = context;
  const contact = body.email ?? (body.phone === undefined ? '' : toE164(body.phone));
  const { guest_id: guestId } = await tx
    .insertInto('visit_guests')
    .values({
      company_id: companyId,
      appointment_id: appointmentId,
      patient_id: patientId,
      guest_uid: guestUid,
      name: body.name.trim(),
      role: body.role,
      link_hash: hashLink(keys, secret),
      link_cipher: await sealText(tx, keys, { companyId, now }, secret, sealedPlaces.guestLink(guestUid)),
      contact: await sealText(tx, keys, { companyId, now }, contact, sealedPlaces.guestContact(guestUid)),
      ...validity(appointmentId, caller.timeZone, now),
      by_user_id: caller.userId,
      invited_at: now,
    })
    .returning('guest_id')
    .executeTakeFirstOrThrow();
  touched('guestId', guestId);
  return { guestId };
});

/** The visit's day by the company's clock, and the end of the invitation. */
function validity(appointmentId: number, timeZone: string, now: string) {
  const dayOf = (at: ReturnType<typeof sql>) => sql`(${at} at time zone ${timeZone})::date`;
  const of = (value: ReturnType<typeof sql>) =>
    sql<string>`(select ${value} from appointments a where a.appointment_id = ${appointmentId})`;
  const midnight = sql`(greatest(${dayOf(sql`a.starts_at`)}, ${dayOf(sql`${now}::timestamptz`)}) + 1)::timestamp at time zone ${timeZone}`;
  return {
    visit_day: of(dayOf(sql`a.starts_at`)),
    expires_at: of(sql`greatest(${midnight}, a.ends_at + make_interval(mins => ${minutesAfterEnd}))`),
  };
}
