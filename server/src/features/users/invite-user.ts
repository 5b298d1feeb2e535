import { inviteUser as call } from '@roomside/contract/users/calls.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { requireTrialMessage } from '../../platform/trials.ts';
import { queuePasswordMail, reservePasswordMail } from '../notifications/deliver-password-mail.ts';
import { findUser } from './user-rows.ts';

/** Mails a link to choose a password: for seven days to someone who has none yet, else for an hour. */
export const inviteUser = forUsersInSteps(call, async ({ context, params, now, look, commit, touched }) => {
  const { userId } = params;
  touched('userId', userId);
  const purpose = await look(async (tx, caller) => {
    const user = await findUser(tx, caller, userId);
    if (user.disabled || user.external_id !== null) throw new Refusal('not-allowed');
    return user.password_hash === null ? 'invite' : 'reset';
  });
  await throttle(context, [{ scope: 'invitation', subject: String(userId) }]);
  const link = await reservePasswordMail(context, { userId, purpose }, now);
  return commit(async (tx, caller) => {
    await findUser(tx, caller, userId);
    if (caller.kind === 'staff') await requireTrialMessage(tx, caller.companyId, now);
    if (purpose === 'invite')
      await tx
        .updateTable('users')
        .set({ invited_at: now, invitation_ended_at: null })
        .where('user_id', '=', userId)
        .execute();
    await queuePasswordMail(tx, context, link);
    return undefined;
  });
});
