import { inviteUser as call } from '@roomside/contract/users/calls.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { type PasswordMailJob, passwordMailQueue } from '../notifications/deliver-password-mail.ts';
import { findUser } from './user-rows.ts';

/** Mails a link to pick a password: for seven days to someone who has none yet, else for an hour. */
export const inviteUser = forUsersInSteps(call, async ({ context, params, now, look, commit, touched }) => {
  const { userId } = params;
  touched('userId', userId);
  await look(async (tx, caller) => {
    const user = await findUser(tx, caller, userId);
    if (user.disabled || user.external_id !== null) throw new Refusal('not-allowed');
  });
  await throttle(context, [{ scope: 'invitation', subject: String(userId) }]);
  return commit(async (tx, caller) => {
    const { password_hash } = await findUser(tx, caller, userId);
    const job: PasswordMailJob = { userId, purpose: password_hash === null ? 'invite' : 'reset' };
    if (password_hash === null)
      await tx.updateTable('users').set({ invited_at: now }).where('user_id', '=', userId).execute();
    await context.jobs.send(tx, passwordMailQueue, job);
    return undefined;
  });
});
