import type { Call } from '@roomside/contract/call.ts';
import { type ExternalFailure, failedQuery } from '@roomside/contract/external-sign-in/calls.ts';
import type { RedirectResult } from '../../platform/http/handler.ts';
import type { SignInAttempt } from '../auth/sign-in.ts';

interface FailedUser {
  readonly user_id: number;
  readonly company_id: number | null;
}

/** An external sign-in ends on the sign-in page with a sentence. */
export class ExternalSignInFailed extends Error {
  override name = 'ExternalSignInFailed';
  readonly reason: ExternalFailure;
  /** For the security log of the user's company; null before the user is known. */
  readonly user: FailedUser | null;

  constructor(reason: ExternalFailure, { user = null, cause }: { user?: FailedUser | null; cause?: unknown } = {}) {
    super(reason, { cause });
    this.reason = reason;
    this.user = user;
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
    const { reason, user, cause } = error;
    if (cause instanceof Error) {
      const root = rootOf(cause);
      context.log.warn({ reason, error: root.name, code: codeOf(root) }, 'an external provider failed');
    }
    if (reason !== 'cancelled') {
      context.security.record({
        action: call.name,
        path: call.path,
        reason,
        actor: user ? `user_${user.user_id}` : 'unknown',
        companyId: user?.company_id ?? null,
        address,
        requestId: request.id,
      });
    }
    return toLogin(reason);
  }
}

const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error);
const codeOf = (error: Error): string | undefined => ('code' in error ? String(error.code) : undefined);
