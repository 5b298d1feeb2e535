import type { Schema } from '@roomside/contract/call.ts';
import { type RuleBody, ruleBody } from '@roomside/contract/scheduling-rules/calls.ts';
import { blankRecurrence, type Recurrence } from '@roomside/contract/scheduling-rules/recurrence.ts';
import * as z from 'zod/mini';

/** The form has the shape of the call's body; an empty end date is null there and '' in the field. */
export const ruleForm = z.pipe(
  z.transform((typed: RuleBody) => ({ ...typed, activeEndDate: typed.activeEndDate || null })),
  ruleBody,
) as unknown as Schema<RuleBody>;
export type RuleValues = RuleBody;

/** What is sent: ENTITY-12 wants the server's own fields as null. */
export const toBody = (values: RuleValues): RuleBody => ({
  ...values,
  activeEndDate: values.activeEndDate || null,
  createdByUser: null,
  changes: null,
});

/** ENTITY-13: what a new rule begins with; `today` in the company's zone. */
export function blankRule(today: string, ownId: number | null): RuleValues {
  return {
    ruleId: 0,
    version: 0,
    description: '',
    disabled: false,
    ...blankRecurrence(today),
    apptRulesTimes: [{ startTime: '', endTime: '' }],
    apptRulesPhysicians: ownId === null ? [] : [{ ruleId: 0, physicianId: ownId }],
  };
}

const isDate = (text: unknown): text is string => typeof text === 'string' && /^(19|20|21)\d\d-\d{2}-\d{2}$/.test(text);

/** The typed values as a rule whose dates can be worked out; undefined while they cannot. */
export function toRecurrence(values: RuleValues): Recurrence | undefined {
  const { activeStartDate, activeEndDate, everyNday, everyNweek, everyNmonth } = values;
  if (!isDate(activeStartDate) || Number.isNaN(Date.parse(activeStartDate))) return undefined;
  if (![everyNday, everyNweek, everyNmonth].every((every) => Number.isInteger(every) && every >= 0)) return undefined;
  const end = isDate(activeEndDate) && !Number.isNaN(Date.parse(activeEndDate)) ? activeEndDate : null;
  return { ...values, activeEndDate: end };
}
