import { endOwnSignIn as call } from '@roomside/contract/account-security/calls.ts';
import { endUserSignIn } from '../../platform/end-sign-ins.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

/** Signs the caller out on one of their devices, e.g. a shared one that was left signed in. */
export const endOwnSignIn = forUsers(call, async ({ context, caller, params, tx, now }) => {
  const isEnded = await endUserSignIn({ tx, context, now }, { userId: caller.userId, signInId: params.signInId });
  if (!isEnded) throw notFound();
  return undefined;
});
