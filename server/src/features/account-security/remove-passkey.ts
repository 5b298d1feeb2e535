import { removePasskey as call } from '@roomside/contract/account-security/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { forgetWithoutFactor } from '../second-factor/factors.ts';
import { requireConfirmed } from './confirmed.ts';

export const removePasskey = forUsers(call, async ({ context, caller: { userId, signInId }, params, tx, now }) => {
  await requireConfirmed(tx, { userId, signInId }, now);
  const removed = await tx
    .deleteFrom('passkeys')
    .where('passkey_id', '=', params.passkeyId)
    .where('user_id', '=', userId)
    .returning('passkey_id')
    .executeTakeFirst();
  if (!removed) throw notFound();
  await forgetWithoutFactor(tx, userId);
  await announceChange(tx, context, userId, 'passkey-removed');
  return undefined;
});
