import type { Call } from '@roomside/contract/call.ts';
import { type ExternalFailure, failedQuery } from '@roomside/contract/external-sign-in/calls.ts';
import type { RedirectResult } from '../../platform/http/handler.ts';
import type { SignInAttempt } from '../auth/sign-in.ts';

/** An external sign-in ends on the sign-in page with a sentence. */
export class ExternalSignInFailed extends Error {
  override name = 'ExternalSignInFailed';
  readonly reason: ExternalFailure;
  /** For the security log: 'unknown' before the user is known. */
  readonly userId: number | null;

  constructor(reason: ExternalFailure, { userId = null, cause }: { userId?: number | null; cause?: unknown } = {}) {
    super(reason, { cause });
    this.reason = reason;
    this.userId = userId;
  }
}

const toLogin = (reason: ExternalFailure): RedirectResult => ({ location: `/#/login?${failedQuery}=${reason}` });

/** Runs a step of an external sign-in. A failure is recorded and leads to the sign-in page; no address or token is logged. */
export async function orToLogin(
  { context, address, request }: Pick<SignInAttempt, 'context' | 'address' | 'request'>,
  call: Call,
  work: () => Promise<RedirectResult>,
): Promise<RedirectResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ExternalSignInFailed)) throw error;
    const { reason, userId, cause } = error;
    if (cause instanceof Error) {
      const root = rootOf(cause);
      context.log.warn({ reason, error: root.name, code: codeOf(root) }, 'an external provider failed');
    }
    if (reason !== 'cancelled') {
      const actor = userId === null ? 'unknown' : `user_${userId}`;
      context.security.record({ action: call.name, path: call.path, reason, actor, address, requestId: request.id });
    }
    return toLogin(reason);
  }
}

const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error);
const codeOf = (error: Error): string | undefined => ('code' in error ? String(error.code) : undefined);
