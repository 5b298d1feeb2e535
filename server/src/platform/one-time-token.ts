import { randomBytes } from 'node:crypto';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';

/** Lifetime of a link by purpose, minutes. */
const lifetimeMinutes = { login: 15, reset: 60, invite: 7 * 24 * 60 } as const;
type Purpose = keyof typeof lifetimeMinutes;

/** Creates the token of a link; only its keyed hash is stored. Needs a transaction of kind unauthenticated. */
export async function createOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purpose: Purpose,
  userId: number,
  now: string,
): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  const expires_at = new Date(Date.parse(now) + lifetimeMinutes[purpose] * 60_000).toISOString();
  const [token_hash] = hashesOf(context, [purpose], token);
  await tx
    .insertInto('one_time_tokens')
    .values({ token_hash, purpose, user_id: userId, created_at: now, expires_at })
    .execute();
  return token;
}

const hashesOf = (
  { keys }: Pick<Context, 'keys'>,
  [first, ...others]: readonly [Purpose, ...Purpose[]],
  token: string,
): [Buffer, ...Buffer[]] => {
  const hash = (purpose: Purpose) => keys.mac('one-time', `${purpose}:${token}`);
  return [hash(first), ...others.map(hash)];
};

/** Returns the user of a valid token, or null, and keeps it valid. Needs a transaction of kind unauthenticated. */
export async function peekOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purposes: readonly [Purpose, ...Purpose[]],
  token: string,
  now: string,
): Promise<number | null> {
  const row = await tx
    .selectFrom('one_time_tokens')
    .select('user_id')
    .where('token_hash', 'in', hashesOf(context, purposes, token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** Uses up a valid token and returns its user, or null. Needs a transaction of kind unauthenticated. */
export async function takeOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purposes: readonly [Purpose, ...Purpose[]],
  token: string,
  now: string,
): Promise<number | null> {
  const used = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('token_hash', 'in', hashesOf(context, purposes, token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return used?.user_id ?? null;
}
