import { deleteRule as call } from '@roomside/contract/scheduling-rules/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { leftOutside } from '../schedule/outside-appointments.ts';
import { lockRule, requireOwn } from './rule-rows.ts';

/** Archives a rule. Its providers still use rules: without another rule they cannot be booked by link. */
export const deleteRule = forStaff(call, async ({ context, caller, params, tx, now, touched, afterCommit }) => {
  const { companyId } = caller;
  const { doctors } = await lockRule(tx, companyId, params.ruleId);
  if (!context.skipChecks) requireOwn(caller, doctors);
  const { outside } = await leftOutside(tx, companyId, doctors, now, () =>
    tx.updateTable('scheduling_rules').set({ archived_at: now }).where('rule_id', '=', params.ruleId).execute(),
  );
  touched(
    'appointments',
    outside.map(({ appointmentId }) => appointmentId),
  );
  afterCommit(() => context.push.schedule(companyId));
  return { outside };
});
