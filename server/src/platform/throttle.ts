import { holdsPerMinute, slotsPerMinute } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';
import { networksOf } from './http/networks.ts';
import { Refusal } from './refusal.ts';

/** Where attempts slow down the next one: after the free ones they have to wait. */
type SlowScope =
  | 'account'
  | 'device'
  | 'email'
  | 'address'
  | 'address-site'
  | 'code-address'
  | 'code-site'
  | 'reset'
  | 'reset-address'
  | 'booking'
  | 'booking-site';
/** Where a page asks often in a short time: so many within a minute, and no pause before that. */
type MinuteScope = 'booking-slots' | 'booking-holds';
type Scope = SlowScope | MinuteScope;

/** Attempts within this time count, ms. */
const windowMs = 15 * 60_000;
/**
 * Free attempts, and the longest pause after them, seconds. An account is an email from one network, a device one that
 * has signed in as that person before. The email alone bounds what many networks together can guess of one account by
 * devices that are not known: 900 passwords an hour. An address may be a whole clinic's; a site is an IPv6 /48.
 */
const rules: Record<SlowScope, { free: number; longest: number }> = {
  account: { free: 5, longest: 60 },
  device: { free: 5, longest: 60 },
  email: { free: 20, longest: 4 },
  address: { free: 20, longest: 60 },
  'address-site': { free: 80, longest: 60 },
  'code-address': { free: 10, longest: 60 },
  'code-site': { free: 40, longest: 60 },
  reset: { free: 3, longest: 60 },
  'reset-address': { free: 20, longest: 60 },
  booking: { free: 10, longest: 60 },
  'booking-site': { free: 40, longest: 60 },
};
const perMinute: Record<MinuteScope, number> = { 'booking-slots': slotsPerMinute, 'booking-holds': holdsPerMinute };
const isPerMinute = (scope: Scope): scope is MinuteScope => scope in perMinute;

export interface Attempt {
  readonly scope: Scope;
  readonly subject: string;
}

/** An attempt from an address: its customer's network, and the larger site that the customer may hold. */
export function attemptsOf(scope: 'address' | 'code-address' | 'booking', address: string): Attempt[] {
  const { customer, site } = networksOf(address);
  const wide = { address: 'address-site', 'code-address': 'code-site', booking: 'booking-site' } as const;
  return [{ scope, subject: customer }, ...(site === null ? [] : [{ scope: wide[scope], subject: site }])];
}

/**
 * Counts an attempt before it is tried, so that many simultaneous ones all count, and refuses with 429 while it has to
 * wait: 1, 2, 4 ... 60 s after the last one, or until fewer lie in the last minute. `forgive` takes the attempts back
 * after a success.
 *
 * @throws Refusal `too-many`
 */
export async function throttle(context: Context, attempts: readonly Attempt[]): Promise<{ forgive(): Promise<void> }> {
  const now = context.clock.now();
  const since = new Date(now - windowMs).toISOString();
  const rows = attempts.map(({ scope, subject }) => ({ scope, subject: context.keys.mac('subject', subject) }));
  const counted: number[] = [];
  const wait = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    let longest = 0;
    for (const { scope, subject } of rows) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${scope} ${subject.toString('hex')}`}, 0))`.execute(
        tx,
      );
    }
    for (const { scope, subject } of rows) {
      if (isPerMinute(scope)) {
        longest = Math.max(longest, await untilRoom(tx, scope, subject, now));
        continue;
      }
      const seen = await tx
        .selectFrom('sign_in_failures')
        .select((eb) => [eb.fn.countAll<string>().as('count'), eb.fn.max('failed_at').as('last')])
        .where('scope', '=', scope)
        .where('subject', '=', subject)
        .where('failed_at', '>', since)
        .executeTakeFirstOrThrow();
      const over = Number(seen.count) - rules[scope].free;
      if (over < 0 || !seen.last) continue;
      const pause = Math.min(rules[scope].longest, 2 ** Math.min(over, 6));
      longest = Math.max(longest, pause - (now - Date.parse(seen.last)) / 1000);
    }
    if (longest > 0) return Math.ceil(longest);
    const failed_at = new Date(now).toISOString();
    const made = await tx
      .insertInto('sign_in_failures')
      .values(rows.map((row) => ({ ...row, failed_at })))
      .returning('failure_id')
      .execute();
    counted.push(...made.map((row) => row.failure_id));
    return 0;
  });
  if (wait > 0) throw new Refusal('too-many', { retryAfter: wait });
  return {
    forgive: () =>
      context.db.open({ kind: 'unauthenticated' }, async (tx) => {
        // A success says nothing about others at this address, nor about others who try this email.
        await tx.deleteFrom('sign_in_failures').where('failure_id', 'in', counted).execute();
        for (const { scope, subject } of rows.filter((row) => row.scope === 'account' || row.scope === 'device')) {
          await tx.deleteFrom('sign_in_failures').where('scope', '=', scope).where('subject', '=', subject).execute();
        }
      }),
  };
}

/** Forgets attempts that no longer count. */
export async function forgetAttempts(context: Context): Promise<void> {
  const before = new Date(context.clock.now() - windowMs).toISOString();
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx.deleteFrom('sign_in_failures').where('failed_at', '<=', before).execute(),
  );
}

/** Seconds until fewer than a minute's attempts lie in the last minute; 0 = there is room. */
async function untilRoom(tx: Tx, scope: MinuteScope, subject: Buffer, now: number): Promise<number> {
  const oldest = await tx
    .selectFrom('sign_in_failures')
    .select('failed_at')
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .where('failed_at', '>', new Date(now - 60_000).toISOString())
    .orderBy('failed_at', 'desc')
    .offset(perMinute[scope] - 1)
    .limit(1)
    .executeTakeFirst();
  return oldest ? (Date.parse(oldest.failed_at) + 60_000 - now) / 1000 : 0;
}
