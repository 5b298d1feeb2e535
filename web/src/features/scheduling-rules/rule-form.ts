import type { Schema } from '@roomside/contract/call.ts';
import { maxEvery } from '@roomside/contract/limits.ts';
import { type RuleBody, ruleBody } from '@roomside/contract/scheduling-rules/calls.ts';
import { blankRecurrence, type Recurrence } from '@roomside/contract/scheduling-rules/recurrence.ts';
import * as z from 'zod/mini';

const isInterval = (value: unknown, max: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;

/**
 * The intervals for a body: what was left empty or wrong in a field that the chosen type or a disabled rule does not show is 1 again.
 * Right ones are kept, for when the type is chosen again.
 */
function usedIntervals(typed: RuleBody): Pick<RuleBody, 'everyNday' | 'everyNweek' | 'everyNmonth'> {
  const { ruleType, dailyType, monthlyType2, disabled } = typed;
  const of = (isShown: boolean, value: number, max: number) =>
    (isShown && !disabled) || isInterval(value, max) ? value : 1;
  return {
    everyNday: of(ruleType === 'D' && dailyType === 1, typed.everyNday, maxEvery.days),
    everyNweek: of(ruleType === 'W', typed.everyNweek, maxEvery.weeks),
    everyNmonth: of(ruleType === 'M' && monthlyType2 === 1, typed.everyNmonth, maxEvery.months),
  };
}

/** The form has the shape of the body; no end date is null there and '' in the field. */
export const ruleForm = z.pipe(
  z.transform((typed: RuleBody) => ({ ...typed, ...usedIntervals(typed), activeEndDate: typed.activeEndDate || null })),
  ruleBody,
) as unknown as Schema<RuleBody>;
export type RuleValues = RuleBody;

/** The body: ENTITY-12 requires null for the server's own fields. */
export const toBody = (values: RuleValues): RuleBody => ({
  ...values,
  activeEndDate: values.activeEndDate || null,
  createdByUser: null,
  changes: null,
});

/** The providers of a rule, always in the same order, so that equal ones are seen as equal. */
export const providerRows = (ids: readonly number[]): RuleValues['apptRulesPhysicians'] =>
  ids.toSorted((a, b) => a - b).map((physicianId) => ({ physicianId }));

/** ENTITY-13: defaults of a new rule; `today` in the company's zone. */
export function blankRule(today: string, ownId: number | null): RuleValues {
  return {
    ruleId: 0,
    version: 0,
    description: '',
    disabled: false,
    ...blankRecurrence(today),
    apptRulesTimes: [{ startTime: '', endTime: '' }],
    apptRulesPhysicians: providerRows(ownId === null ? [] : [ownId]),
  };
}

const isDate = (text: unknown): text is string => typeof text === 'string' && /^(19|20|21)\d\d-\d{2}-\d{2}$/.test(text);

/** Converts the typed values to a recurrence; undefined while they are incomplete. */
export function toRecurrence(values: RuleValues): Recurrence | undefined {
  const { activeStartDate, activeEndDate } = values;
  const intervals = usedIntervals(values);
  if (!isDate(activeStartDate) || Number.isNaN(Date.parse(activeStartDate))) return undefined;
  if (!Object.values(intervals).every((every) => Number.isInteger(every) && every >= 0)) return undefined;
  const end = isDate(activeEndDate) && !Number.isNaN(Date.parse(activeEndDate)) ? activeEndDate : null;
  return { ...values, ...intervals, activeEndDate: end };
}
