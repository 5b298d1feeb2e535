import { deleteRule } from './delete-rule.ts';
import { getRule } from './get-rule.ts';
import { listRules } from './list-rules.ts';
import { saveRule } from './save-rule.ts';

export const schedulingRuleCalls = [listRules, getRule, saveRule, deleteRule];
