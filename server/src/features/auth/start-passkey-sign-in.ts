import { startPasskeySignIn as call } from '@roomside/contract/auth/passkey-calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { assertionOptions } from '../second-factor/passkeys.ts';
import { readTicket } from '../second-factor/tickets.ts';
import { anyDevice, knownDevice } from './known-devices.ts';
import type { SignInAttempt } from './sign-in.ts';

/**
 * A challenge for a passkey: as the second step of a ticket's user, or as the only step of anyone. Challenges are counted by the
 * device, so that others in its network do not use its limit up (record 027).
 */
export const startPasskeySignIn = forAnyone(call, async (attempt) => {
  const { context, body, now, request } = attempt;
  const { ticket } = body;
  if (ticket === undefined) return challengeFor(attempt, null, anyDevice(context, request));
  const known = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    readTicket(tx, context.keys, { ticket, now, mode: 'read' }),
  );
  if (known) {
    const { userId } = known;
    return challengeFor(attempt, userId, knownDevice(context, request, userId) ?? `user ${userId}`);
  }
  await countChallenge(attempt, null);
  throw new Refusal('sign-in-expired');
});

async function challengeFor(attempt: SignInAttempt, userId: number | null, by: string | null) {
  const { context, now } = attempt;
  await countChallenge(attempt, by);
  const options = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    assertionOptions(tx, context, { userId, now }),
  );
  return { options: { ...options } };
}

/** Each challenge is a row. Counts one for a device or user; null: for the network. */
const countChallenge = ({ context, address }: SignInAttempt, by: string | null) =>
  throttle(context, by === null ? attemptsOf('passkeys-address', address) : [{ scope: 'passkeys', subject: by }]);
