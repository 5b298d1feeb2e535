import { randomInt, timingSafeEqual } from 'node:crypto';
import type { BookingBody, ContactConfirmation } from '@roomside/contract/booking/calls.ts';
import { bookingsPerHour, confirmMinutes } from '@roomside/contract/limits.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { type Selectable, sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Holds } from '../../platform/database/schema.ts';
import { customersPerSite } from '../../platform/http/networks.ts';
import { toE164 } from '../../platform/phone.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { openText, sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { type HashedNetworks, lockNetworks } from './hashed-networks.ts';

/** Limit of wrong attempts for one code; then a new code is needed. */
const maxWrongCodes = 5;
/** Limit of codes for one hold, and so of how long it lasts: each code extends it. */
const maxCodes = 3;

/** The confirmation of a hold, stored sealed. */
export interface Confirmation {
  readonly method: 'email' | 'text';
  /** The email, or the phone in E.164. */
  readonly to: string;
  readonly code: string;
}

export const bookingCodeQueue = 'booking-code';
export interface BookingCodeJob {
  companyId: number;
  holdUid: string;
}

interface Booker {
  readonly companyId: number;
  readonly networks: HashedNetworks;
  readonly now: string;
  readonly body: BookingBody;
}

/**
 * Returns whether a booking needs a code: when the clinic's settings require it for all bookings, or after
 * `bookingsPerHour` bookings from one network, or the multiple from one site. Locks serialize the bookings of a network and site.
 */
export async function needsConfirmation(tx: Tx, { companyId, networks, now }: Booker): Promise<boolean> {
  await lockNetworks(tx, 'bookings', networks);
  const { address, site } = networks;
  const since = addMinutes(now, -60);
  const { rows } = await sql<{ always: boolean; booked: number; booked_from_site: number }>`
    select c.confirm_bookings as always, bookings_from(${address}, ${since}) as booked,
      bookings_from_site(${site}, ${since}) as booked_from_site
    from companies c where c.company_id = ${companyId}`.execute(tx);
  const [row] = rows;
  if (!row) return false;
  return row.always || row.booked >= bookingsPerHour || row.booked_from_site >= bookingsPerHour * customersPerSite;
}

/**
 * Checks the typed code, or sends a code to the typed contact and extends the hold. Returns null when the contact is
 * confirmed, else a refusal to throw after the commit, so that codes and wrong attempts are stored.
 */
export async function confirmContact(
  tx: Tx,
  context: Context,
  booker: Booker,
  hold: Selectable<Holds>,
): Promise<Refusal | null> {
  const { companyId, now, body } = booker;
  const to = body.email.trim() ? body.email.trim().toLowerCase() : toE164(body.phone);
  const sent = hold.confirmation === null ? null : await readConfirmation(tx, context, companyId, hold);
  const isSame = sent?.to === to;
  if (isSame && body.code !== undefined && hold.wrong_codes < maxWrongCodes) {
    if (isEqual(body.code, sent.code)) return null;
    await updateHold(tx, hold, { wrong_codes: hold.wrong_codes + 1 });
    return fieldRefusal('wrong-confirmation', 'code');
  }
  const method = to.includes('@') ? 'email' : 'text';
  const refusal = (expires: string): Refusal => {
    const current: ContactConfirmation = { method, expires, now };
    return new Refusal('confirm-contact', { current });
  };
  // A repeat without a code sends none: the previous one is still valid.
  if (isSame && body.code === undefined && !body.sendAgain && hold.wrong_codes < maxWrongCodes)
    return refusal(hold.expires_at);
  if (hold.codes_sent >= maxCodes) return new Refusal('too-many-codes');
  // The caller has claimed an expired hold again. Without a new end its code would not be sent.
  const expires = addMinutes(now, confirmMinutes);
  const confirmation: Confirmation = { method, to, code: String(randomInt(1_000_000)).padStart(6, '0') };
  const place = sealedPlaces.confirmation(hold.hold_uid);
  await updateHold(tx, hold, {
    confirmation: await sealText(tx, context.keys, { companyId, now }, JSON.stringify(confirmation), place),
    codes_sent: hold.codes_sent + 1,
    wrong_codes: 0,
    expires_at: expires,
  });
  const job: BookingCodeJob = { companyId, holdUid: hold.hold_uid };
  await context.jobs.send(tx, bookingCodeQueue, job);
  return refusal(expires);
}

export async function readConfirmation(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  companyId: number,
  hold: Pick<Selectable<Holds>, 'confirmation' | 'hold_uid'>,
): Promise<Confirmation | null> {
  if (hold.confirmation === null) return null;
  const text = await openText(tx, context.keys, companyId, hold.confirmation, sealedPlaces.confirmation(hold.hold_uid));
  return JSON.parse(text) as Confirmation;
}

async function updateHold(tx: Tx, hold: Selectable<Holds>, values: Partial<Selectable<Holds>>): Promise<void> {
  await tx.updateTable('holds').set(values).where('hold_uid', '=', hold.hold_uid).execute();
}

const isEqual = (typed: string, expected: string) =>
  typed.length === expected.length && timingSafeEqual(Buffer.from(typed), Buffer.from(expected));
