import { sql } from 'kysely';
import type { StaffCaller, SuperCaller } from './caller.ts';
import type { Tx } from './database/database.ts';
import { Refusal } from './refusal.ts';

type Account = Pick<StaffCaller | SuperCaller, 'userId' | 'signInId'>;

/** How long changes are permitted after the user has proved that it is them, ms. */
const confirmedMs = 5 * 60_000;

/** Records on the caller's sign-in that the user is present. */
export async function recordConfirmed(tx: Tx, { userId, signInId }: Account, now: string): Promise<void> {
  await sql`select confirm_sign_in(${userId}, ${signInId}, ${now})`.execute(tx);
}

/**
 * Requires that the user has proved within the last minutes, on this sign-in, that it is them: an unattended page must not
 * hand over the account.
 *
 * @throws Refusal `confirm-identity`
 */
export async function requireConfirmed(tx: Tx, { userId, signInId }: Account, now: string): Promise<void> {
  const since = new Date(Date.parse(now) - confirmedMs).toISOString();
  const { rows } = await sql<{ confirmed: boolean }>`
    select sign_in_is_confirmed(${userId}, ${signInId}, ${since}) as confirmed`.execute(tx);
  if (!rows[0]?.confirmed) throw new Refusal('confirm-identity');
}
