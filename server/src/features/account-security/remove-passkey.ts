import { removePasskey as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { lockFactors, requireFactorOrForget } from '../second-factor/factors.ts';

export const removePasskey = forUsers(call, async ({ context, caller, params, tx, now }) => {
  const { userId } = caller;
  await requireConfirmed(tx, caller, now);
  await lockFactors(tx, userId);
  const removed = await tx
    .deleteFrom('passkeys')
    .where('passkey_id', '=', params.passkeyId)
    .where('user_id', '=', userId)
    .returning('passkey_id')
    .executeTakeFirst();
  if (!removed) throw notFound();
  await requireFactorOrForget(tx, caller, now);
  await announceChange(tx, context, userId, 'passkey-removed');
  return undefined;
});
