import { addPasskey as call } from '@roomside/contract/account-security/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { storePasskey, takeRegistration, verifyRegistration } from '../second-factor/passkeys.ts';

/** Adds the passkey that the browser has created. Its challenge is used up whatever follows. */
export const addPasskey = forUsersInSteps(call, async ({ context, body: { name, response }, now, look, commit }) => {
  const challenge = await look(async (tx, caller) => {
    await requireConfirmed(tx, caller, now);
    return takeRegistration(tx, { userId: caller.userId, response, now });
  });
  const credential = challenge === null ? null : await verifyRegistration(context, challenge, response);
  if (!credential) throw new Refusal('wrong-passkey');
  return commit(async (tx, { userId }) => {
    const passkeyId = await storePasskey(tx, { userId, name: name.trim(), credential, now });
    if (passkeyId === null) throw new Refusal('wrong-passkey');
    await announceChange(tx, context, userId, 'passkey-added');
    return { passkeyId };
  });
});
