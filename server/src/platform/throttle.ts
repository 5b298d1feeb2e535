import { holdsPerMinute, slotsPerMinute } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';
import { customersPerSite, networksOf } from './http/networks.ts';
import { Refusal } from './refusal.ts';

/** Scopes with a growing pause between attempts after a number of free ones. */
type PauseScope =
  | 'account'
  | 'device'
  | 'second-factor'
  | 'new-password'
  | 'email'
  | 'address'
  | 'code-address'
  | 'reset'
  | 'reset-address'
  | 'reset-device'
  | 'invitation'
  | 'booking'
  | 'booking-code'
  | 'sign-up'
  | 'sign-up-address'
  | 'promo'
  | 'calendar';
/** Scopes with a limit of attempts per minute. */
type MinuteScope = 'booking-slots' | 'booking-holds' | 'passkeys' | 'passkeys-address' | 'external' | 'calendar-checks';
type Scope = PauseScope | MinuteScope;
/** Scopes of a client's network. Their attempts count for the customer's network and for the site. */
type NetworkScope =
  | 'address'
  | 'code-address'
  | 'reset-address'
  | 'booking'
  | 'booking-slots'
  | 'booking-holds'
  | 'sign-up-address'
  | 'calendar'
  | 'passkeys-address'
  | 'external';

/** Attempts within this time count, ms. */
const windowMs = 15 * 60_000;
/**
 * Free attempts and the maximum pause after them, seconds. `account`: an email from one network. `device`: a device that
 * has signed in as that person before. `second-factor`: a user, or such a device. `new-password`: what one user chooses, for
 * themselves or others; each is checked and hashed. `email`: an email from unknown devices in all networks, at most 900
 * passwords an hour. `booking-code`: bookings with one email or phone from all networks, since they may send codes to it.
 * `promo`: promo codes that one patient or company tries. `calendar`: unknown addresses of calendar feeds; the programs of a
 * clinic may ask for removed ones. `address`: may be that of a whole clinic. `reset-device`: a browser in which any user has
 * signed in before.
 */
const rules: Record<PauseScope, { free: number; maxPauseSeconds: number }> = {
  account: { free: 5, maxPauseSeconds: 60 },
  device: { free: 5, maxPauseSeconds: 60 },
  'second-factor': { free: 5, maxPauseSeconds: 60 },
  'new-password': { free: 60, maxPauseSeconds: 10 },
  email: { free: 20, maxPauseSeconds: 4 },
  address: { free: 20, maxPauseSeconds: 60 },
  'code-address': { free: 10, maxPauseSeconds: 60 },
  reset: { free: 3, maxPauseSeconds: 60 },
  'reset-address': { free: 20, maxPauseSeconds: 60 },
  'reset-device': { free: 20, maxPauseSeconds: 60 },
  invitation: { free: 5, maxPauseSeconds: 60 },
  booking: { free: 10, maxPauseSeconds: 60 },
  'booking-code': { free: 12, maxPauseSeconds: 60 },
  'sign-up': { free: 3, maxPauseSeconds: 60 },
  'sign-up-address': { free: 5, maxPauseSeconds: 60 },
  promo: { free: 10, maxPauseSeconds: 60 },
  calendar: { free: 20, maxPauseSeconds: 60 },
};
/** Scopes of which a success deletes all attempts: only their owner can have one. Who knows one promo code may still guess others. */
const ofOnePerson: ReadonlySet<Scope> = new Set(['account', 'device', 'second-factor']);
/** Challenges for passkeys, for one user, device or network. */
const passkeysPerMinute = 60;
/** External sign-ins that begin, from one network. */
const externalPerMinute = 60;
/** External calendars that one user has read before they are saved. */
const calendarChecksPerMinute = 10;
const perMinute: Record<MinuteScope, number> = {
  'booking-slots': slotsPerMinute,
  'booking-holds': holdsPerMinute,
  passkeys: passkeysPerMinute,
  'passkeys-address': passkeysPerMinute,
  external: externalPerMinute,
  'calendar-checks': calendarChecksPerMinute,
};
const isPerMinute = (scope: Scope): scope is MinuteScope => scope in perMinute;

/** An attempt of a subject, or of a network: these are from `attemptsOf`. */
export type Attempt =
  | { readonly scope: Exclude<Scope, NetworkScope>; readonly subject: string }
  | { readonly scope: NetworkScope; readonly network: string; readonly isSite: boolean };

/** Returns the attempts that an address counts for: its customer's network, and for IPv6 the larger site. */
export function attemptsOf(scope: NetworkScope, address: string): Attempt[] {
  const { customer, site } = networksOf(address);
  return [
    { scope, network: customer, isSite: false },
    ...(site === null ? [] : [{ scope, network: site, isSite: true }]),
  ];
}

/** How an attempt is counted: in the stored scope and for the subject's hash, by the rule of its scope, times a factor. */
interface Counted {
  readonly scope: string;
  readonly subject: Buffer;
  readonly rule: Scope;
  readonly factor: number;
}

function countedAs({ keys }: Pick<Context, 'keys'>, attempt: Attempt): Counted {
  const { scope } = attempt;
  if ('subject' in attempt) return { scope, subject: keys.mac('subject', attempt.subject), rule: scope, factor: 1 };
  const subject = keys.mac('subject', attempt.network);
  if (!attempt.isSite) return { scope, subject, rule: scope, factor: 1 };
  return { scope: `${scope}-site`, subject, rule: scope, factor: customersPerSite };
}

/**
 * Counts an attempt before it is made, so that simultaneous attempts count. Refuses with 429 during the pause (1, 2, 4 ...
 * 60 s after the last attempt) or above the limit per minute. `forgive` deletes the counted attempts after a success.
 *
 * @throws Refusal `too-many`
 */
export async function throttle(context: Context, attempts: readonly Attempt[]): Promise<{ forgive(): Promise<void> }> {
  const now = context.clock.now();
  const since = new Date(now - windowMs).toISOString();
  const rows = attempts.map((attempt) => countedAs(context, attempt));
  const counted: number[] = [];
  const wait = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    let waitSeconds = 0;
    await lockSubjects(tx, rows);
    for (const row of rows) {
      const { scope, subject, rule, factor } = row;
      if (isPerMinute(rule)) {
        waitSeconds = Math.max(waitSeconds, await secondsUntilAllowed(tx, row, perMinute[rule] * factor, now));
        continue;
      }
      const previous = await tx
        .selectFrom('sign_in_failures')
        .select((eb) => [eb.fn.countAll<string>().as('count'), eb.fn.max('failed_at').as('last')])
        .where('scope', '=', scope)
        .where('subject', '=', subject)
        .where('failed_at', '>', since)
        .executeTakeFirstOrThrow();
      const over = Number(previous.count) - rules[rule].free * factor;
      if (over < 0 || !previous.last) continue;
      const pause = Math.min(rules[rule].maxPauseSeconds, 2 ** Math.min(over, 6));
      waitSeconds = Math.max(waitSeconds, pause - (now - Date.parse(previous.last)) / 1000);
    }
    if (waitSeconds > 0) return Math.ceil(waitSeconds);
    const failed_at = new Date(now).toISOString();
    const inserted = await tx
      .insertInto('sign_in_failures')
      .values(rows.map(({ scope, subject }) => ({ scope, subject, failed_at })))
      .returning('failure_id')
      .execute();
    counted.push(...inserted.map((row) => row.failure_id));
    return 0;
  });
  if (wait > 0) throw new Refusal('too-many', { retryAfter: wait });
  return {
    forgive: () =>
      context.db.open({ kind: 'unauthenticated' }, async (tx) => {
        // Only what is one person's is reset: other attempts at this address or email may be another person's.
        const own = rows.filter((row) => ofOnePerson.has(row.rule));
        // Simultaneous sign-ins of one person delete each other's rows: one after the other.
        await lockSubjects(tx, own);
        await tx.deleteFrom('sign_in_failures').where('failure_id', 'in', counted).execute();
        for (const { scope, subject } of own) {
          await tx
            .deleteFrom('sign_in_failures')
            .where('scope', '=', scope)
            .where('subject', '=', subject)
            .where('failed_at', '>', since)
            .execute();
        }
      }),
  };
}

/** Subjects are locked in the order of the attempts, which is the same for all of one kind. */
async function lockSubjects(tx: Tx, subjects: readonly Counted[]): Promise<void> {
  for (const { scope, subject } of subjects) {
    const key = `${scope} ${subject.toString('hex')}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
  }
}

/** Attempts stay for this long after they count no more: a sign-in that is under way may delete them, ms. */
const sweepDelayMs = 10 * 60_000;

/** Deletes attempts that no longer count. */
export async function forgetAttempts(context: Context): Promise<void> {
  const before = new Date(context.clock.now() - windowMs - sweepDelayMs).toISOString();
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx.deleteFrom('sign_in_failures').where('failed_at', '<=', before).execute(),
  );
}

/** Returns the seconds until another attempt is within the limit per minute; 0 = now. */
async function secondsUntilAllowed(tx: Tx, { scope, subject }: Counted, limit: number, now: number): Promise<number> {
  const oldest = await tx
    .selectFrom('sign_in_failures')
    .select('failed_at')
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .where('failed_at', '>', new Date(now - 60_000).toISOString())
    .orderBy('failed_at', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return oldest ? (Date.parse(oldest.failed_at) + 60_000 - now) / 1000 : 0;
}
