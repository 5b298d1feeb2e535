import { saveRule as call } from '@roomside/contract/scheduling-rules/calls.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { checkVersion } from '../../platform/refusal.ts';
import { leftOutside } from '../schedule/outside-appointments.ts';
import {
  insertRule,
  lockRule,
  providersOf,
  requireOwn,
  requireProviders,
  ruleColumnsOf,
  writeParts,
} from './rule-rows.ts';

/** CALL-29: creates (ruleId 0) or saves a rule. Returns the appointments that are outside of rules now; they stay booked. */
export const saveRule = forStaff(call, async ({ context, caller, body, tx, now, touched, afterCommit }) => {
  const { companyId } = caller;
  refuseCardNumbers({ description: body.description });
  const stored = body.ruleId === 0 ? null : await lockRule(tx, companyId, body.ruleId);
  if (stored && !context.skipChecks) requireOwn(caller, stored.doctors);
  if (stored) checkVersion(stored, body.version);
  const doctors = providersOf(body);
  await requireProviders(tx, caller, doctors, context.skipChecks);
  const affected = [...new Set([...doctors, ...(stored?.doctors ?? [])])];
  const { result, outside } = await leftOutside(tx, companyId, affected, now, async () => {
    if (!stored) return insertRule(tx, { companyId, createdBy: caller.userId, now }, body);
    const saved = await tx
      .updateTable('scheduling_rules')
      .set({ ...ruleColumnsOf(body), version: stored.version + 1 })
      .where('rule_id', '=', body.ruleId)
      .returning(['rule_id', 'version'])
      .executeTakeFirstOrThrow();
    await writeParts(tx, companyId, saved.rule_id, body);
    return saved;
  });
  touched('ruleId', result.rule_id);
  touched(
    'appointments',
    outside.map(({ appointmentId }) => appointmentId),
  );
  afterCommit(() => context.push.schedule(companyId));
  return { ruleId: result.rule_id, version: result.version, outside };
});
