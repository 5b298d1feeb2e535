import type { Context } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';

type Scope = 'account' | 'address' | 'code-address' | 'code-global' | 'reset';

/** Attempts within this time count, ms. */
const windowMs = 15 * 60_000;
/** Nobody can lock another out for longer, seconds. */
const longestWait = 60;
/** Free attempts before answers slow down. An address may be a whole clinic's. */
const free: Record<Scope, number> = { account: 5, address: 20, 'code-address': 10, 'code-global': 300, reset: 3 };

export interface Attempt {
  scope: Scope;
  subject: string;
}

/**
 * Counts an attempt before it is tried, so that many at once all count, and refuses with 429 while it has to wait:
 * 1, 2, 4 ... 60 s after the last one. `forgive` takes the attempts back after a success.
 */
export async function throttle(context: Context, attempts: readonly Attempt[]): Promise<{ forgive(): Promise<void> }> {
  const now = context.clock.now();
  const since = new Date(now - windowMs).toISOString();
  const rows = attempts.map(({ scope, subject }) => ({ scope, subject: context.keys.mac('subject', subject) }));
  const counted: number[] = [];
  const wait = await context.db.open({ kind: 'door' }, async (tx) => {
    let longest = 0;
    for (const { scope, subject } of rows) {
      const seen = await tx
        .selectFrom('sign_in_failures')
        .select((eb) => [eb.fn.countAll<string>().as('count'), eb.fn.max('failed_at').as('last')])
        .where('scope', '=', scope)
        .where('subject', '=', subject)
        .where('failed_at', '>', since)
        .executeTakeFirstOrThrow();
      const over = Number(seen.count) - free[scope];
      if (over < 0 || !seen.last) continue;
      if (scope === 'code-global') {
        context.log.warn({ attempts: Number(seen.count) }, 'many wrong access codes on the whole installation');
      }
      const pause = scope === 'code-global' ? 1 : Math.min(longestWait, 2 ** Math.min(over, 6));
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
        for (const { scope, subject } of rows.filter((row) => row.scope === 'account')) {
          await tx.deleteFrom('sign_in_failures').where('scope', '=', scope).where('subject', '=', subject).execute();
        }
      }),
  };
}
