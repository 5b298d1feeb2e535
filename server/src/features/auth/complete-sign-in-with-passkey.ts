import { completeSignInWithPasskey as call } from '@roomside/contract/auth/passkey-calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { recordUse, verifyAssertion } from '../second-factor/passkeys.ts';
import { readTicket } from '../second-factor/tickets.ts';
import { completeSecondStep } from './second-step.ts';

/** Completes a sign-in with a passkey of the ticket's user. */
export const completeSignInWithPasskey = forAnyone(call, async (attempt) => {
  const { context, body, now } = attempt;
  const { ticket, response, trustDevice } = body;
  const known = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    readTicket(tx, context.keys, { ticket, now, mode: 'read' }),
  );
  const used = known && (await verifyAssertion(context, { response, userId: known.userId, now }));
  return completeSecondStep(attempt, {
    call,
    ticket,
    method: 'passkey',
    trustDevice,
    verify: async (tx, userId) => used?.userId === userId && recordUse(tx, used, now),
  });
});
