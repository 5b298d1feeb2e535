import { confirmIdentity as call } from '@roomside/contract/account-security/calls.ts';
import { recordConfirmed } from '../../platform/confirmed.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { fieldRefusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';

/** Permits what needs a confirmation for the next minutes, after the current password. */
export const confirmIdentity = forUsersInSteps(call, async ({ context, body, now, look, commit }) => {
  const { userId, password_hash } = await look(async (tx, caller) => ({
    userId: caller.userId,
    ...(await tx
      .selectFrom('users')
      .select('password_hash')
      .where('user_id', '=', caller.userId)
      .executeTakeFirstOrThrow()),
  }));
  // The same limit as that of a new password: both check the current one.
  const attempts = await throttle(context, [{ scope: 'device', subject: `own account ${userId}` }]);
  if (!(await context.passwords.verify(body.currentPassword, password_hash, 'known')))
    throw fieldRefusal('wrong-password', 'currentPassword');
  await attempts.forgive();
  await commit((tx, caller) => recordConfirmed(tx, caller, now));
  return undefined;
});
