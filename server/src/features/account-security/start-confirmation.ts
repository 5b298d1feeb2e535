import { startConfirmation as call } from '@roomside/contract/account-security/calls.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { passkeysOf } from '../second-factor/factors.ts';
import { assertionOptions } from '../second-factor/passkeys.ts';

/** A challenge for one of the caller's passkeys. */
export const startConfirmation = forUsersInSteps(call, async ({ context, now, look, commit }) => {
  const userId = await look(async (tx, caller) => {
    if ((await passkeysOf(tx, caller.userId)).length === 0) throw new Refusal('no-second-factor');
    return caller.userId;
  });
  // Each challenge is a row.
  await throttle(context, [{ scope: 'passkeys', subject: `user ${userId}` }]);
  const options = await commit((tx) => assertionOptions(tx, context, { userId, purpose: 'confirm', now }));
  return { options: { ...options } };
});
