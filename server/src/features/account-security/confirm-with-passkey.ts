import { confirmWithPasskey as call } from '@roomside/contract/account-security/calls.ts';
import { recordConfirmed } from '../../platform/confirmed.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { recordUse, verifyAssertion } from '../second-factor/passkeys.ts';

/** As confirmIdentity, by a passkey instead of the password, which the user may not have. A signature cannot be guessed. */
export const confirmWithPasskey = forUsersInSteps(call, async ({ context, body, now, look, commit }) => {
  const userId = await look(async (_tx, caller) => caller.userId);
  const used = await verifyAssertion(context, { response: body.response, userId, purpose: 'confirm', now });
  if (!used) throw new Refusal('wrong-passkey');
  await commit(async (tx, caller) => {
    if (!(await recordUse(tx, used, now))) throw new Refusal('wrong-passkey');
    await recordConfirmed(tx, caller, now);
  });
  return undefined;
});
