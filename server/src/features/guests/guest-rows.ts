import { randomBytes } from 'node:crypto';
import type { Guest } from '@roomside/contract/guests/calls.ts';
import type { GuestRole } from '@roomside/contract/guests/guest.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';
import { pageAddress } from '../../platform/page-host.ts';
import { fromE164 } from '../../platform/phone.ts';
import { notFound } from '../../platform/refusal.ts';
import { openText, openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';

/** The secret of a new link: 144 random bits. */
export const createLinkSecret = (): string => randomBytes(18).toString('base64url');

/** The keyed hash by which a link is found. */
export const hashLink = (keys: Keys, secret: string): Buffer => keys.mac('guest', secret);

/** Returns the address that invitations of a company begin with; the secret follows. */
export async function linkBase(tx: Tx, context: Pick<Context, 'publicUrl'>, companyId: number): Promise<string> {
  const company = await tx
    .selectFrom('companies')
    .select('front_end_url')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return `${pageAddress(context, company?.front_end_url ?? null)}/#/guest/`;
}

/** Returns the sealed parts of an invitation as plain texts. Throws as {@link openText}. */
export async function openGuest(
  tx: Tx,
  context: Pick<Context, 'keys' | 'publicUrl'>,
  companyId: number,
  row: { readonly guest_uid: string; readonly link_cipher: Buffer; readonly contact: Buffer },
): Promise<{ link: string; contact: string }> {
  const { keys } = context;
  const secret = await openText(tx, keys, companyId, row.link_cipher, sealedPlaces.guestLink(row.guest_uid));
  const contact = await openText(tx, keys, companyId, row.contact, sealedPlaces.guestContact(row.guest_uid));
  return { link: (await linkBase(tx, context, companyId)) + secret, contact };
}

/** Returns the invitations to a visit, oldest first. */
export async function readGuests(
  tx: Tx,
  context: Context,
  { companyId }: StaffCaller,
  appointmentId: number,
  now: string,
): Promise<Guest[]> {
  const rows = await tx
    .selectFrom('visit_guests as g')
    .selectAll('g')
    .select(sql<boolean>`guest_is_valid(g.guest_id, ${now})`.as('is_valid'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('peers as p')
          .select('p.attendance_id')
          .where('p.appointment_id', '=', appointmentId)
          .whereRef('p.guest_id', '=', 'g.guest_id')
          .where('p.left_at', 'is', null),
      ).as('is_in_room'),
    )
    .where('g.appointment_id', '=', appointmentId)
    .orderBy('g.guest_id')
    .execute();
  const base = rows.length > 0 ? await linkBase(tx, context, companyId) : '';
  const guests: Guest[] = [];
  for (const row of rows) {
    const opened = (sealed: Buffer, place: string) => openTextOrSay(tx, context, companyId, sealed, place);
    const state = row.removed_at ? 'removed' : !row.is_valid ? 'expired' : row.is_in_room ? 'in-room' : 'waiting';
    guests.push({
      guestId: row.guest_id,
      name: row.name,
      role: row.role as GuestRole,
      state,
      link: row.is_valid ? base + (await opened(row.link_cipher, sealedPlaces.guestLink(row.guest_uid))) : '',
      contact: fromE164(await opened(row.contact, sealedPlaces.guestContact(row.guest_uid))),
      sentAt: row.sent_at,
    });
  }
  return guests;
}

/**
 * Locks an invitation to a visit for a change.
 *
 * @throws Refusal `not-found` also for one of another visit
 */
export async function lockGuest(tx: Tx, appointmentId: number, guestId: number, now: string) {
  const row = await tx
    .selectFrom('visit_guests')
    .select(['guest_id', 'guest_uid', 'contact', 'sends', 'removed_at'])
    .select(sql<boolean>`guest_is_valid(guest_id, ${now})`.as('is_valid'))
    .where('guest_id', '=', guestId)
    .where('appointment_id', '=', appointmentId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}
