import { randomInt } from 'node:crypto';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';

const count = 10;
/** 50 bits. Without letters that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
const half = 5;

const createHalf = () => Array.from({ length: half }, () => letters[randomInt(letters.length)]).join('');

/** How a code is typed does not matter: case, spaces and dashes are ignored. */
const hashOf = (keys: Keys, userId: number, code: string) =>
  keys.mac('recovery', `${userId}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`);

/** Replaces the user's recovery codes. Only keyed hashes are stored, so they can be shown this once. */
export async function replaceRecoveryCodes(
  tx: Tx,
  keys: Keys,
  { userId, now }: { userId: number; now: string },
): Promise<string[]> {
  const codes = Array.from({ length: count }, () => `${createHalf()}-${createHalf()}`);
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: hashOf(keys, userId, code), created_at: now })))
    .execute();
  return codes;
}

/** Uses up a recovery code. Returns false when it is wrong or was used before. */
export async function takeRecoveryCode(
  tx: Tx,
  keys: Keys,
  { userId, code, now }: { userId: number; code: string; now: string },
): Promise<boolean> {
  const taken = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hashOf(keys, userId, code))
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return taken !== undefined;
}

/** How many codes have not been used. */
export async function countRecoveryCodes(tx: Tx, userId: number): Promise<number> {
  const { left } = await tx
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<string>().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(left);
}
