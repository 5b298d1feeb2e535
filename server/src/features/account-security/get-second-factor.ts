import { getSecondFactor as call } from '@roomside/contract/account-security/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { authenticatorSince, passkeysOf } from '../second-factor/factors.ts';
import { countRecoveryCodes } from '../second-factor/recovery-codes.ts';

export const getSecondFactor = forUsers(call, async ({ caller: { userId }, tx }) => ({
  authenticatorSince: await authenticatorSince(tx, userId),
  hasPassword: await hasPassword(tx, userId),
  recoveryCodesLeft: await countRecoveryCodes(tx, userId),
  passkeys: (await passkeysOf(tx, userId)).map((row) => ({
    passkeyId: row.passkey_id,
    name: row.name,
    createdAt: row.created_at,
    usedAt: row.used_at,
  })),
}));

async function hasPassword(tx: Tx, userId: number): Promise<boolean> {
  const user = await tx.selectFrom('users').select('password_hash').where('user_id', '=', userId).executeTakeFirst();
  return user?.password_hash != null;
}
