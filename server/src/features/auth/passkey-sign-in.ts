import { passkeySignIn as call } from '@roomside/contract/auth/passkey-calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { recordUse, type UsedPasskey, verifyAssertion } from '../second-factor/passkeys.ts';
import { rememberDevice } from './known-devices.ts';
import { lockUser, type SignInAttempt, signIn } from './sign-in.ts';

/**
 * A passkey is two factors: the device, and the finger, face or PIN that the device has checked. It is verified before the rate
 * limit: it cannot be guessed, so a right one is never slowed down. Wrong ones are limited by network (record 027).
 */
export const passkeySignIn = forAnyone(call, async (attempt) => {
  const { context, body, now, request, reply } = attempt;
  const used = await verifyAssertion(context, { response: body.response, userId: null, now });
  const signedIn = used && (await signInBy(attempt, used, body.remember));
  if (!signedIn) throw await refuse(attempt);
  rememberDevice(context, request, reply, used.userId);
  return signedIn;
});

/** Returns null when the user is disabled, or the passkey was removed or used elsewhere meanwhile. */
function signInBy(attempt: SignInAttempt, used: UsedPasskey, remember: boolean) {
  const { context, now } = attempt;
  const { userId } = used;
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    await lockUser(tx, userId);
    const { rows } = await sql<{
      blocked_by: 'user' | 'company' | null;
    }>`select * from auth_user_by_id(${userId})`.execute(tx);
    if (rows[0]?.blocked_by === 'company') throw new Refusal('company-disabled');
    if (rows[0]?.blocked_by !== null || !(await recordUse(tx, used, now))) return null;
    return signIn(tx, attempt, { kind: 'staff', userId, method: 'passkey' }, { remember, action: call.name });
  });
}

/** @throws Refusal `too-many` */
async function refuse({ context, address }: SignInAttempt): Promise<Refusal> {
  await throttle(context, attemptsOf('address', address));
  return new Refusal('wrong-passkey');
}
