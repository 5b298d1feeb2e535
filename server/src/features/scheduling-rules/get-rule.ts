import { getRule as call } from '@roomside/contract/scheduling-rules/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { ruleRows, toRule } from './rule-rows.ts';

export const getRule = forStaff(call, async ({ caller, params, tx }) => {
  const row = await ruleRows(tx)
    .where('r.company_id', '=', caller.companyId)
    .where('r.rule_id', '=', params.ruleId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return toRule(row, caller);
});
