import { completeSignIn as call } from '@roomside/contract/auth/calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { announceChange } from '../second-factor/announce-change.ts';
import { takeAuthenticatorCode } from '../second-factor/authenticators.ts';
import { takeRecoveryCode } from '../second-factor/recovery-codes.ts';
import { completeSecondStep } from './second-step.ts';

/** Completes a sign-in with a code of the authenticator app or a recovery code. Each code works once. */
export const completeSignIn = forAnyone(call, async (attempt) => {
  const { context, body, now } = attempt;
  const { ticket, method, code, trustDevice } = body;
  return completeSecondStep(attempt, {
    call,
    ticket,
    method,
    trustDevice,
    async verify(tx, userId) {
      if (method === 'authenticator') return takeAuthenticatorCode(tx, context, userId, code);
      const isRight = await takeRecoveryCode(tx, context.keys, { userId, code, now });
      if (isRight) await announceChange(tx, context, userId, 'recovery-code-used');
      return isRight;
    },
  });
});
