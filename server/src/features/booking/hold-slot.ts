import { holdSlot as call } from '@roomside/contract/booking/calls.ts';
import { holdMinutes, holdsPerAddress } from '@roomside/contract/limits.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { newUid } from '../../platform/access-code.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { type Claim, claimProviderTime, slotTaken } from '../appointments/provider-time.ts';
import { explained } from './explained.ts';
import { isOffered } from './is-offered.ts';
import { bookableProviders, openBooking } from './open-booking.ts';

/** Holds an offered start for five minutes: one per browser, three per address, limited per minute. */
export const holdSlot = forAnyone(call, async ({ context, params, body, now, address }) => {
  await throttle(context, [{ scope: 'booking-holds', subject: networksOf(address).customer }]);
  return explained(context, params.companyUid, now, () =>
    openBooking(context, params.companyUid, now, async (tx, { companyId, timeZone, days }) => {
      const bookable = await bookableProviders(tx, companyId);
      if (!bookable.some(({ userId }) => userId === body.doctorId)) throw notFound();
      const holder = context.keys.mac('subject', `holder ${body.holder}`);
      const network = context.keys.mac('subject', networksOf(address).customer);
      await requireFewHolds(tx, companyId, { holder, address: network }, now);

      const { duration } = await tx
        .selectFrom('companies')
        .select('duration')
        .where('company_id', '=', companyId)
        .executeTakeFirstOrThrow();
      const startsAt = new Date(body.startDate).toISOString();
      const previous = await tx
        .selectFrom('holds')
        .select('hold_uid')
        .where('company_id', '=', companyId)
        .where('holder', '=', holder)
        .where('appointment_id', 'is', null)
        .executeTakeFirst();
      const claim: Claim = {
        companyId,
        timeZone,
        doctorId: body.doctorId,
        startsAt,
        endsAt: addMinutes(startsAt, duration),
        now,
        own: { ...(previous && { holdUid: previous.hold_uid }) },
      };
      if (!(await isOffered(tx, claim, days))) throw slotTaken(claim, null);
      await claimProviderTime(tx, claim);
      // A browser has one hold: the new one replaces the previous one.
      await tx
        .deleteFrom('holds')
        .where('company_id', '=', companyId)
        .where('holder', '=', holder)
        .where('appointment_id', 'is', null)
        .execute();
      const hold = {
        holdUid: newUid(),
        startDate: startsAt,
        doctorId: body.doctorId,
        expires: addMinutes(now, holdMinutes),
      };
      await tx
        .insertInto('holds')
        .values({
          hold_uid: hold.holdUid,
          company_id: companyId,
          doctor_id: hold.doctorId,
          starts_at: startsAt,
          ends_at: claim.endsAt,
          expires_at: hold.expires,
          holder,
          address: network,
          created_at: now,
        })
        .execute();
      return { ...hold, now };
    }),
  );
});

/** Refuses when other browsers at this address have the maximum of holds. A lock serializes the holds of one address. */
async function requireFewHolds(
  tx: Tx,
  companyId: number,
  { holder, address }: { holder: Buffer; address: Buffer },
  now: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`holds ${address.toString('hex')}`}, 0))`.execute(tx);
  const others = await tx
    .selectFrom('holds')
    .select('expires_at')
    .where('company_id', '=', companyId)
    .where('address', '=', address)
    .where('holder', '<>', holder)
    .where('appointment_id', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('expires_at')
    .execute();
  const [first] = others;
  if (!first || others.length < holdsPerAddress) return;
  throw new Refusal('too-many', { retryAfter: Math.ceil((Date.parse(first.expires_at) - Date.parse(now)) / 1000) });
}
