import { randomBytes } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openBytes, sealBytes } from '../../platform/envelope.ts';
import { findStep, secretBytes } from './totp.ts';

type Parts = Pick<Context, 'keys' | 'clock'>;

const placeOf = (userId: number) => `authenticators.secret ${userId}`;

/** Stores a new secret, which counts only after {@link confirmAuthenticator}; the previous one is valid until then. */
export async function startAuthenticator(tx: Tx, { keys }: Parts, userId: number): Promise<Buffer> {
  const secret = randomBytes(secretBytes);
  const pending = sealBytes(keys.users, secret, placeOf(userId));
  await tx
    .insertInto('authenticators')
    .values({ user_id: userId, pending })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ pending }))
    .execute();
  return secret;
}

const lockRow = (tx: Tx, userId: number) =>
  tx.selectFrom('authenticators').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst();

/**
 * Makes the new secret the user's, if the code is one of it, and returns 'added'. When it is the user's already, a code of it that was not
 * used before, or the one that was used last, returns 'repeated': the response of the first request may have been lost.
 */
export async function confirmAuthenticator(
  tx: Tx,
  { keys, clock }: Parts,
  { userId, code, now }: { userId: number; code: string; now: string },
): Promise<'added' | 'repeated' | 'wrong'> {
  const row = await lockRow(tx, userId);
  const sealed = row?.pending ?? row?.secret;
  if (!row || !sealed) return 'wrong';
  const secret = openBytes(keys.users, sealed, placeOf(userId));
  const step = findStep(secret, code, clock.now(), row.pending ? 0 : row.last_step - 1);
  if (step === null) return 'wrong';
  const added = row.pending ? { secret: row.pending, pending: null, confirmed_at: now } : {};
  await tx
    .updateTable('authenticators')
    .set({ ...added, last_step: step })
    .where('user_id', '=', userId)
    .execute();
  return row.pending ? 'added' : 'repeated';
}

/** Uses up a code of the user's authenticator. Returns false when it is wrong or was used before. */
export async function takeAuthenticatorCode(
  tx: Tx,
  { keys, clock }: Parts,
  userId: number,
  code: string,
): Promise<boolean> {
  const row = await lockRow(tx, userId);
  if (!row?.secret) return false;
  const secret = openBytes(keys.users, row.secret, placeOf(userId));
  const step = findStep(secret, code, clock.now(), row.last_step);
  if (step === null) return false;
  await tx.updateTable('authenticators').set({ last_step: step }).where('user_id', '=', userId).execute();
  return true;
}
