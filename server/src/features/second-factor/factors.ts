import type { SecondStepMethod } from '@roomside/contract/auth/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { countRecoveryCodes } from './recovery-codes.ts';

/** When the user's authenticator was added; null without one. */
export async function authenticatorSince(tx: Tx, userId: number): Promise<string | null> {
  const row = await tx
    .selectFrom('authenticators')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.confirmed_at ?? null;
}

/** The user's passkeys, the oldest first. */
export const passkeysOf = (tx: Tx, userId: number) =>
  tx
    .selectFrom('passkeys')
    .select(['passkey_id', 'name', 'created_at', 'used_at'])
    .where('user_id', '=', userId)
    .orderBy('passkey_id')
    .execute();

/** The ways to complete a sign-in, in the order to offer them; none = the user has no second factor. */
export async function secondStepMethodsOf(tx: Tx, userId: number): Promise<SecondStepMethod[]> {
  const methods: SecondStepMethod[] = [];
  if ((await passkeysOf(tx, userId)).length > 0) methods.push('passkey');
  if ((await authenticatorSince(tx, userId)) !== null) methods.push('authenticator');
  if (methods.length === 0) return [];
  return (await countRecoveryCodes(tx, userId)) > 0 ? [...methods, 'recovery'] : methods;
}

/** After the last second factor was removed: recovery codes and trusted devices have no meaning without one. */
export async function forgetWithoutFactor(tx: Tx, userId: number): Promise<void> {
  if ((await secondStepMethodsOf(tx, userId)).length > 0) return;
  for (const table of ['recovery_codes', 'trusted_devices'] as const)
    await tx.deleteFrom(table).where('user_id', '=', userId).execute();
}

/** Removes all that replaces or adds to the user's password. */
export async function removeFactors(tx: Tx, userId: number): Promise<void> {
  for (const table of ['authenticators', 'passkeys', 'recovery_codes', 'trusted_devices'] as const)
    await tx.deleteFrom(table).where('user_id', '=', userId).execute();
}
