import { login as call } from '@roomside/contract/auth/calls.ts';
import type { AlarmRule } from '../../platform/security-log.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import type { SignInAttempt } from './sign-in.ts';

/** Above the number of typing errors in many companies. */
const alarm: AlarmRule = { name: 'manyWrongCodes', limit: 300, windowMs: 15 * 60_000 };

/**
 * Counts a wrong code against the rate limit of its network. Many wrong codes in the whole installation raise an alarm and
 * refuse nothing.
 *
 * @throws Refusal `too-many` instead of `wrong-code` while the network has to wait
 */
export async function countWrongCode(attempt: SignInAttempt): Promise<void> {
  const { context, address, request } = attempt;
  const event = { action: call.name, path: call.path, address, requestId: request.id };
  context.security.countTowards(alarm, { ...event, reason: 'wrong-code' });
  await throttle(context, attemptsOf('code-address', address));
}
