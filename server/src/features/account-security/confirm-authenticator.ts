import { confirmAuthenticator as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { fieldRefusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { confirmAuthenticator as confirm } from '../second-factor/authenticators.ts';

/** Adds the authenticator app, whose first code shows that it has the secret and the right time. */
export const confirmAuthenticator = forUsersInSteps(call, async ({ context, body, now, look, commit }) => {
  const userId = await look(async (_tx, caller) => caller.userId);
  const attempts = await throttle(context, [{ scope: 'device', subject: `new authenticator ${userId}` }]);
  await commit(async (tx, caller) => {
    await requireConfirmed(tx, caller, now);
    const result = await confirm(tx, context, { userId, code: body.code, now });
    if (result === 'wrong') {
      throw fieldRefusal('wrong-authenticator-code', 'code');
    }
    if (result === 'added') await announceChange(tx, context, userId, 'authenticator-added');
  });
  await attempts.forgive();
  return undefined;
});
