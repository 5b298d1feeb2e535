import { removeAuthenticator as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { authenticatorSince, lockFactors, requireFactorOrForget } from '../second-factor/factors.ts';

export const removeAuthenticator = forUsers(call, async ({ context, caller, tx, now }) => {
  await requireConfirmed(tx, caller, now);
  await lockFactors(tx, caller.userId);
  if ((await authenticatorSince(tx, caller.userId)) === null) throw notFound();
  await tx.deleteFrom('authenticators').where('user_id', '=', caller.userId).execute();
  await requireFactorOrForget(tx, caller, now);
  await announceChange(tx, context, caller.userId, 'authenticator-removed');
  return undefined;
});
