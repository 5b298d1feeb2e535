import { deleteUser as call } from '@roomside/contract/users/calls.ts';
import { sql } from 'kysely';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { recheckSignIns } from '../../platform/end-sign-ins.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findUser, lockUsersOf, requireOtherAdministrator } from './user-rows.ts';

/** Deletes a user of whom nothing else is stored. Someone with appointments, notes or the like is disabled instead. */
export const deleteUser = forUsers(call, async ({ context, caller, params, tx, touched, afterCommit }) => {
  const { userId } = params;
  if (userId === caller.userId) throw new Refusal('own-record');
  const { company_id: companyId } = await findUser(tx, caller, userId);
  touched('userId', userId);
  await lockUsersOf(tx, companyId);
  // Role and state may have changed until the lock.
  const user = await findUser(tx, caller, userId);
  if (user.role_id === 'A' && !user.disabled) await requireOtherAdministrator(tx, companyId, userId);
  await sql`select delete_user(${userId})`.execute(tx).catch((error: { code?: string }) => {
    throw error.code === sqlStates.foreignKeyViolation ? new Refusal('user-has-records') : error;
  });
  recheckSignIns({ tx, context }, { userId });
  if (companyId !== null) afterCommit(() => context.push.company(companyId));
  return undefined;
});
