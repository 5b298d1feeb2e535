import { deleteTimeOff as call } from '@roomside/contract/time-off/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { lockTimeOff, requireMayWrite } from './time-off-rows.ts';

export const deleteTimeOff = forStaff(call, async ({ context, caller, params, tx, now, afterCommit }) => {
  const stored = await lockTimeOff(tx, caller.companyId, params.timeOffId);
  if (!context.skipChecks) requireMayWrite(caller, stored.user_id);
  await tx.updateTable('time_off').set({ archived_at: now }).where('time_off_id', '=', params.timeOffId).execute();
  afterCommit(() => context.push.schedule(caller.companyId));
  return undefined;
});
