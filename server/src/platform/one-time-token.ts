import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';

/** Lifetime of a link by purpose, minutes. */
const lifetimeMinutes = { login: 15, reset: 60, invite: 7 * 24 * 60 } as const;
type Purpose = keyof typeof lifetimeMinutes;

const expiryOf = (purpose: Purpose, now: string) =>
  new Date(Date.parse(now) + lifetimeMinutes[purpose] * 60_000).toISOString();

/** Creates the token of a link; only its keyed hash is stored. Needs a transaction of kind unauthenticated. */
export async function createOneTimeToken(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  purpose: Purpose,
  userId: number,
  now: string,
): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  const expires_at = expiryOf(purpose, now);
  const [token_hash] = hashesOf(context, [purpose], token);
  await tx
    .insertInto('one_time_tokens')
    .values({ token_hash, purpose, user_id: userId, created_at: now, expires_at })
    .execute();
  return token;
}

/** The link of one mail. */
export interface MailedLink {
  readonly userId: number;
  readonly purpose: 'reset' | 'invite';
  /** Identifies the mail. */
  readonly mailUid: string;
}

/** Returns the token of a mail's link. It follows from the sign-in key, so that all attempts to send the mail have the same link. */
export const tokenOfMail = ({ keys }: Pick<Context, 'keys'>, { mailUid }: MailedLink): string =>
  keys.mac('one-time', `mail:${mailUid}`).subarray(0, 24).toString('base64url');

/**
 * Stores the link of a mail, or begins its lifetime again. At most `maxPerHour` mails to one user for one purpose have a link, however
 * often each is tried; all links work until one of them is used. Needs a transaction of kind unauthenticated.
 *
 * @returns 'ended' for a link that was used or withdrawn; `waitSeconds` above the limit
 */
export async function storeMailedLink(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  link: MailedLink,
  { maxPerHour, now }: { readonly maxPerHour: number; readonly now: string },
): Promise<'stored' | 'ended' | { readonly waitSeconds: number }> {
  const { userId, purpose } = link;
  const [token_hash] = hashesOf(context, [purpose], tokenOfMail(context, link));
  const expires_at = expiryOf(purpose, now);
  await lockLinksOf(tx, userId);
  const stored = await tx
    .selectFrom('one_time_tokens')
    .select('used_at')
    .where('token_hash', '=', token_hash)
    .executeTakeFirst();
  if (stored?.used_at) return 'ended';
  if (stored) {
    await tx.updateTable('one_time_tokens').set({ expires_at }).where('token_hash', '=', token_hash).execute();
    return 'stored';
  }
  const waitSeconds = await secondsUntilMail(tx, link, { maxPerHour, now });
  if (waitSeconds > 0) return { waitSeconds };
  await tx
    .insertInto('one_time_tokens')
    .values({ token_hash, purpose, user_id: userId, created_at: now, expires_at })
    .execute();
  return 'stored';
}

/** Serializes the mails of one user, so that the limit holds. */
const lockLinksOf = (tx: Tx, userId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`reset mail ${userId}`}, 0))`.execute(tx);

/** Returns the seconds until the user may get another mail for this purpose; 0 = now. Needs a transaction of kind unauthenticated. */
export async function secondsUntilMail(
  tx: Tx,
  { userId, purpose }: Pick<MailedLink, 'userId' | 'purpose'>,
  { maxPerHour, now }: { readonly maxPerHour: number; readonly now: string },
): Promise<number> {
  const hourAgo = Date.parse(now) - 3_600_000;
  const oldest = await tx
    .selectFrom('one_time_tokens')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('created_at', '>', new Date(hourAgo).toISOString())
    .orderBy('created_at', 'desc')
    .offset(maxPerHour - 1)
    .limit(1)
    .executeTakeFirst();
  return oldest ? Math.ceil((Date.parse(oldest.created_at) - hourAgo) / 1000) : 0;
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
