import type { Tx } from '../../platform/database/database.ts';

/** A challenge to add a passkey does not sign in or confirm, and the other way round. */
export type ChallengePurpose = 'add' | 'sign-in' | 'confirm';

const lifetimeMs = 5 * 60_000;

interface Challenge {
  readonly challenge: string;
  readonly purpose: ChallengePurpose;
  /** The user that it is for; null = any. */
  readonly userId: number | null;
  readonly now: string;
}

/** Stores a challenge in the database, so that any process can take it. */
export async function createChallenge(tx: Tx, { challenge, purpose, userId, now }: Challenge): Promise<void> {
  const expires_at = new Date(Date.parse(now) + lifetimeMs).toISOString();
  await tx.insertInto('passkey_challenges').values({ challenge, purpose, user_id: userId, expires_at }).execute();
}

/** Uses up a challenge and returns whom it is for; null when it is unknown, used, expired or for another purpose. */
export async function takeChallenge(
  tx: Tx,
  { challenge, purpose, now }: Omit<Challenge, 'userId'>,
): Promise<{ userId: number | null } | null> {
  const row = await tx
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row ? { userId: row.user_id } : null;
}
