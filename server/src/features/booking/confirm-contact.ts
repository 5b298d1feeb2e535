import { randomInt, timingSafeEqual } from 'node:crypto';
import type { BookingBody, ContactConfirmation } from '@roomside/contract/booking/calls.ts';
import { bookingsPerHour, confirmMinutes } from '@roomside/contract/limits.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { type Selectable, sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Holds } from '../../platform/database/schema.ts';
import { toE164 } from '../../platform/phone.ts';
import { Refusal } from '../../platform/refusal.ts';
import { openText, sealedPlaces, sealText } from '../../platform/sealed-text.ts';

/** A code is guessed at most so often; then another one has to be sent. */
const maxWrongCodes = 5;
/** Codes that are sent for one held time. */
const maxCodes = 3;

/** What a hold keeps of its confirmation, sealed. */
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
  /** The keyed hash of the network that books. */
  readonly address: Buffer;
  readonly now: string;
  readonly body: BookingBody;
}

/**
 * Whether a booking goes through without a code: a few an hour from one network do, unless the clinic asks for a code
 * always. Bookings of one network count one after the other.
 */
export async function needsConfirmation(tx: Tx, { companyId, address, now }: Booker): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bookings ${address.toString('hex')}`}, 0))`.execute(tx);
  const { rows } = await sql<{ always: boolean; booked: number }>`
    select c.confirm_bookings as always, bookings_from(${address}, ${addMinutes(now, -60)}) as booked
    from companies c where c.company_id = ${companyId}`.execute(tx);
  return rows[0]?.always === true || (rows[0]?.booked ?? 0) >= bookingsPerHour;
}

/**
 * Checks the code that was typed, or sends one to the contact that was typed and keeps the time meanwhile. Null = the
 * contact is confirmed. What it returns instead is thrown once the transaction is committed: codes and wrong tries count.
 */
export async function confirmContact(
  tx: Tx,
  context: Context,
  booker: Booker,
  hold: Selectable<Holds>,
): Promise<Refusal | null> {
  const { companyId, now, body } = booker;
  const to = body.email.trim() ? body.email.trim().toLowerCase() : toE164(body.phone);
  const known = hold.confirmation === null ? null : await readConfirmation(tx, context, companyId, hold);
  const isSame = known?.to === to;
  if (isSame && body.code !== undefined && hold.wrong_codes < maxWrongCodes) {
    if (isEqual(body.code, known.code)) return null;
    await change(tx, hold, { wrong_codes: hold.wrong_codes + 1 });
    return new Refusal('wrong-confirmation', { fields: { code: new Refusal('wrong-confirmation').message } });
  }
  const expires = hold.codes_sent === 0 ? addMinutes(now, confirmMinutes) : hold.expires_at;
  const method = to.includes('@') ? 'email' : 'text';
  const current: ContactConfirmation = { method, expires, now };
  // Asked again without a code: the one that was sent is still good.
  if (isSame && body.code === undefined && !body.sendAgain && hold.wrong_codes < maxWrongCodes)
    return new Refusal('confirm-contact', { current });
  if (hold.codes_sent >= maxCodes) return new Refusal('too-many', { retryAfter: 60 });
  const confirmation: Confirmation = { method, to, code: String(randomInt(1_000_000)).padStart(6, '0') };
  const place = sealedPlaces.confirmation(hold.hold_uid);
  await change(tx, hold, {
    confirmation: await sealText(tx, context.keys, { companyId, now }, JSON.stringify(confirmation), place),
    codes_sent: hold.codes_sent + 1,
    wrong_codes: 0,
    expires_at: expires,
  });
  const job: BookingCodeJob = { companyId, holdUid: hold.hold_uid };
  await context.jobs.send(tx, bookingCodeQueue, job);
  return new Refusal('confirm-contact', { current });
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

async function change(tx: Tx, hold: Selectable<Holds>, values: Partial<Selectable<Holds>>): Promise<void> {
  await tx.updateTable('holds').set(values).where('hold_uid', '=', hold.hold_uid).execute();
}

const isEqual = (typed: string, right: string) =>
  typed.length === right.length && timingSafeEqual(Buffer.from(typed), Buffer.from(right));
