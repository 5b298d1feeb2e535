import { passkeySignIn as call } from '@roomside/contract/auth/passkey-calls.ts';
import { sql } from 'kysely';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { recordUse, verifyAssertion } from '../second-factor/passkeys.ts';
import { rememberDevice } from './known-devices.ts';
import { signIn } from './sign-in.ts';

/** A passkey is two factors: the device, and the finger, face or PIN that the device has checked. */
export const passkeySignIn = forAnyone(call, async (attempt) => {
  const { context, body, now, address, request, reply } = attempt;
  const attempts = await throttle(context, attemptsOf('address', address));
  const refuse = () => {
    const event = { action: call.name, path: call.path, address, requestId: request.id };
    context.security.record({ ...event, reason: 'wrong-passkey' });
    return new Refusal('wrong-passkey');
  };
  const used = await verifyAssertion(context, { response: body.response, userId: null, now });
  if (!used) throw refuse();
  const { userId } = used;
  const signedIn = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{
      blocked_by: 'user' | 'company' | null;
    }>`select * from auth_user_by_id(${userId})`.execute(tx);
    if (rows[0]?.blocked_by === 'company') throw new Refusal('company-disabled');
    if (rows[0]?.blocked_by !== null || !(await recordUse(tx, used, now))) throw refuse();
    return signIn(tx, attempt, { kind: 'staff', userId, method: 'passkey' }, body.remember, call.name);
  });
  rememberDevice(context, request, reply, userId);
  await attempts.forgive();
  return signedIn;
});
