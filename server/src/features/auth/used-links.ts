import type { Call } from '@roomside/contract/call.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import type { SignInAttempt } from './sign-in.ts';

/**
 * Counts an invalid link against the rate limit of its network, and records the refusal.
 *
 * @throws always: the given error, or Refusal `too-many` while the network has to wait
 */
export async function countUsedLink(attempt: SignInAttempt, call: Call, error: unknown): Promise<never> {
  if (!(error instanceof Refusal && error.code === 'link-used')) throw error;
  const { context, address, request } = attempt;
  const event = { action: call.name, path: call.path, address, requestId: request.id };
  context.security.record({ ...event, reason: error.code });
  await throttle(context, attemptsOf('code-address', address));
  throw error;
}
