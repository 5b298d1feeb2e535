import { holdSlot as call } from '@roomside/contract/booking/calls.ts';
import { holdMinutes, holdsPerAddress } from '@roomside/contract/limits.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { newUid } from '../../platform/access-code.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { customersPerSite } from '../../platform/http/networks.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { type Claim, claimProviderTime, slotTaken } from '../appointments/provider-time.ts';
import { explained } from './explained.ts';
import { type HashedNetworks, hashedNetworks, lockNetworks } from './hashed-networks.ts';
import { isOffered } from './is-offered.ts';
import { bookableProviders, openBooking } from './open-booking.ts';

/** Holds an offered start for five minutes: one per browser, three per address and twelve per IPv6 site, limited per minute. */
export const holdSlot = forAnyone(call, async ({ context, params, body, now, address }) => {
  await throttle(context, attemptsOf('booking-holds', address));
  return explained(context, params.companyUid, now, () =>
    openBooking(context, params.companyUid, now, async (tx, { companyId, timeZone, days }) => {
      const bookable = await bookableProviders(tx, companyId);
      if (!bookable.some(({ userId }) => userId === body.doctorId)) throw notFound();
      const holder = context.keys.mac('subject', `holder ${body.holder}`);
      const networks = hashedNetworks(context, address);
      await requireFewHolds(tx, companyId, { holder, networks }, now);

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
        ignore: { ...(previous && { holdUid: previous.hold_uid }) },
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
          ...networks,
          created_at: now,
        })
        .execute();
      return { ...hold, now };
    }),
  );
});

/** Refuses when other browsers in this network or site have the maximum of holds. Locks serialize the holds of a network and site. */
async function requireFewHolds(
  tx: Tx,
  companyId: number,
  { holder, networks }: { holder: Buffer; networks: HashedNetworks },
  now: string,
): Promise<void> {
  await lockNetworks(tx, 'holds', networks);
  for (const [column, network, limit] of [
    ['address', networks.address, holdsPerAddress],
    ['site', networks.site, holdsPerAddress * customersPerSite],
  ] as const) {
    if (network === null) continue;
    const others = await tx
      .selectFrom('holds')
      .select('expires_at')
      .where('company_id', '=', companyId)
      .where(column, '=', network)
      .where('holder', '<>', holder)
      .where('appointment_id', 'is', null)
      .where('expires_at', '>', now)
      .orderBy('expires_at')
      .execute();
    const [first] = others;
    if (!first || others.length < limit) continue;
    throw new Refusal('too-many', { retryAfter: Math.ceil((Date.parse(first.expires_at) - Date.parse(now)) / 1000) });
  }
}
