import { renamePasskey as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

export const renamePasskey = forUsers(call, async ({ caller, params, body, tx, now }) => {
  await requireConfirmed(tx, caller, now);
  const renamed = await tx
    .updateTable('passkeys')
    .set({ name: body.name.trim() })
    .where('passkey_id', '=', params.passkeyId)
    .where('user_id', '=', caller.userId)
    .returning('passkey_id')
    .executeTakeFirst();
  if (!renamed) throw notFound();
  return undefined;
});
