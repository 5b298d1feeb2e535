import { bookAheadDays } from '@roomside/contract/limits.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { byName } from '../../platform/lists.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** The clinic behind a booking link. */
export interface BookingCompany {
  readonly companyId: number;
  readonly timeZone: string;
  /** Company days that can be booked, both inclusive. */
  readonly days: { readonly from: string; readonly to: string };
}

/**
 * Opens a transaction of kind booking: it can read the clinic, its providers and their taken times, but no patients.
 *
 * @throws Refusal `not-found` for an unknown clinic and for one that takes no bookings; `clinic-closed` for one whose license has expired
 */
export async function openBooking<T>(
  context: Context,
  companyUid: string,
  now: string,
  work: (tx: Tx, company: BookingCompany, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const found = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ company_id: number; expired: boolean }>`
      select company_id, expired from auth_booking_company(${normalizeUid(companyUid)}, ${now})`.execute(tx);
    return rows[0];
  });
  if (!found) throw notFound();
  if (found.expired) throw new Refusal('clinic-closed');
  const companyId = found.company_id;
  return context.db.open({ kind: 'booking', companyId }, async (tx, afterCommit) => {
    const { time_zone: timeZone } = await tx
      .selectFrom('companies')
      .select('time_zone')
      .where('company_id', '=', companyId)
      .executeTakeFirstOrThrow();
    return work(tx, { companyId, timeZone, days: bookableDays(now, timeZone) }, afterCommit);
  });
}

/** The days that patients may book, from today on, in the company's zone. */
export function bookableDays(now: string, timeZone: string): { from: string; to: string } {
  const from = instantToWall(now, timeZone).day;
  return { from, to: Temporal.PlainDate.from(from).add({ days: bookAheadDays }).toString() };
}

/** The part of a range of days that can be booked, or null. */
export function bookablePart(
  range: { from: string; to: string },
  days: { from: string; to: string },
): { from: string; to: string } | null {
  const from = range.from > days.from ? range.from : days.from;
  const to = range.to < days.to ? range.to : days.to;
  return from <= to ? { from, to } : null;
}

/**
 * Returns the providers whom patients may book: doctors, and administrators with an NPI or a schedule rule. Other
 * administrators do not see patients and would be bookable all day.
 */
export async function bookableProviders(tx: Tx, companyId: number) {
  const rows = await tx
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name'])
    .where('company_id', '=', companyId)
    .where('disabled', '=', false)
    .where((eb) =>
      eb.or([
        eb('role_id', '=', 'D'),
        eb.and([eb('role_id', '=', 'A'), eb.or([eb('npi', '<>', ''), eb('uses_rules', '=', true)])]),
      ]),
    )
    .orderBy(byName('last_name'))
    .orderBy(byName('first_name'))
    .orderBy('user_id')
    .execute();
  return rows.map((row) => ({ userId: row.user_id, firstName: row.first_name, lastName: row.last_name }));
}
