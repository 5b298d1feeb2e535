import { randomBytes } from 'node:crypto';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';

/** How long a link of each kind works, minutes (decisions, 2). */
const minutes = { login: 15, reset: 60 } as const;
type Purpose = keyof typeof minutes;

/** Makes the token of a link; only its keyed hash is stored. In a door transaction. */
export async function createOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purpose: Purpose,
  userId: number,
  now: string,
): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  const expires_at = new Date(Date.parse(now) + minutes[purpose] * 60_000).toISOString();
  const token_hash = context.keys.mac('one-time', `${purpose}:${token}`);
  await tx
    .insertInto('one_time_tokens')
    .values({ token_hash, purpose, user_id: userId, created_at: now, expires_at })
    .execute();
  return token;
}

/** The user of a live token, which stays as it is; null otherwise. In a door transaction. */
export async function peekOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purpose: Purpose,
  token: string,
  now: string,
): Promise<number | null> {
  const row = await tx
    .selectFrom('one_time_tokens')
    .select('user_id')
    .where('token_hash', '=', context.keys.mac('one-time', `${purpose}:${token}`))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** The user of a live token, which is used up with this; null otherwise. In a door transaction. */
export async function takeOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purpose: Purpose,
  token: string,
  now: string,
): Promise<number | null> {
  const used = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('token_hash', '=', context.keys.mac('one-time', `${purpose}:${token}`))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return used?.user_id ?? null;
}
