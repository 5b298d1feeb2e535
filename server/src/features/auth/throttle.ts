import { holdsPerMinute, slotsPerMinute } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';

/** Where attempts slow down the next one: after the free ones they have to wait. */
type SlowScope = 'account' | 'email' | 'address' | 'code-address' | 'code-global' | 'reset' | 'booking';
/** Where a page asks often and at once: so many within a minute, and no pause before that. */
type MinuteScope = 'booking-slots' | 'booking-holds';
type Scope = SlowScope | MinuteScope;

/** Attempts within this time count, ms. */
const windowMs = 15 * 60_000;
/**
 * Free attempts, and the longest pause after them, seconds. An account is an email from one address: a stranger who keeps
 * trying somebody's email slows that down for everybody by two seconds at most. An address may be a whole clinic's.
 */
const rules: Record<SlowScope, { free: number; longest: number }> = {
  account: { free: 5, longest: 60 },
  email: { free: 20, longest: 2 },
  address: { free: 20, longest: 60 },
  'code-address': { free: 10, longest: 60 },
  'code-global': { free: 300, longest: 1 },
  reset: { free: 3, longest: 60 },
  booking: { free: 10, longest: 60 },
};
const perMinute: Record<MinuteScope, number> = { 'booking-slots': slotsPerMinute, 'booking-holds': holdsPerMinute };
const isPerMinute = (scope: Scope): scope is MinuteScope => scope in perMinute;

/** An IPv6 customer has a whole /64: that is one address. */
export const subjectOf = (subject: string) =>
  subject.replace(/(?<![0-9a-f:])((?:[0-9a-f]{1,4}:){4})[0-9a-f:]+$/i, '$1');

export interface Attempt {
  scope: Scope;
  subject: string;
}

/**
 * Counts an attempt before it is tried, so that many at once all count, and refuses with 429 while it has to wait:
 * 1, 2, 4 ... 60 s after the last one, or until fewer lie in the last minute. `forgive` takes the attempts back after a
 * success.
 */
export async function throttle(context: Context, attempts: readonly Attempt[]): Promise<{ forgive(): Promise<void> }> {
  const now = context.clock.now();
  const since = new Date(now - windowMs).toISOString();
  const rows = attempts.map(({ scope, subject }) => ({
    scope,
    subject: context.keys.mac('subject', subjectOf(subject)),
  }));
  const counted: number[] = [];
  const wait = await context.db.open({ kind: 'door' }, async (tx) => {
    let longest = 0;
    // Many at once count one after the other; but not the whole installation behind one lock.
    for (const { scope, subject } of rows) {
      if (scope === 'code-global') continue;
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
      if (scope === 'code-global') {
        context.log.warn({ attempts: Number(seen.count) }, 'many wrong access codes on the whole installation');
      }
      const pause = Math.min(rules[scope].longest, 2 ** Math.min(over, 6));
      longest = Math.max(longest, pause - (now - Date.parse(seen.last)) / 1000);
    }
    if (longest > 0) return Math.ceil(longest);
    await tx.deleteFrom('sign_in_failures').where('failed_at', '<=', since).execute();
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
      context.db.open({ kind: 'door' }, async (tx) => {
        // One's own success says nothing about the others at this address.
        await tx.deleteFrom('sign_in_failures').where('failure_id', 'in', counted).execute();
        for (const { scope, subject } of rows.filter((row) => row.scope === 'account' || row.scope === 'email')) {
          await tx.deleteFrom('sign_in_failures').where('scope', '=', scope).where('subject', '=', subject).execute();
        }
      }),
  };
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
