import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import type { SignInAttempt } from './sign-in.ts';

/**
 * Counts an invalid link against the rate limit of its network.
 *
 * @throws always: the given error, or Refusal `too-many` while the network has to wait
 */
export async function countUsedLink({ context, address }: SignInAttempt, error: unknown): Promise<never> {
  if (!(error instanceof Refusal && error.code === 'link-used')) throw error;
  await throttle(context, attemptsOf('code-address', address));
  throw error;
}
