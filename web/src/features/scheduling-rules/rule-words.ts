import { hasBit } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { minuteOf } from '@roomside/contract/time.ts';
import { formatDate, formatMinute } from '../../time/time.ts';
import type { RuleValues } from './rule-form.ts';
import { dailyTypes, dayTypes, monthDays, months, monthTypes, ruleTypes, weekdays, weeks } from './rule-options.ts';
import { texts } from './texts.ts';

/** The fields of which the editor offers both versions after a conflict: all. */
export const ruleLabels = {
  description: texts.description,
  disabled: texts.disabled,
  apptRulesTimes: texts.slots,
  activeStartDate: texts.startDate,
  activeEndDate: texts.endDate,
  ruleType: texts.type,
  dailyType: texts.daily,
  everyNday: texts.intervalDays,
  everyNweek: texts.intervalWeeks,
  everyNmonth: texts.intervalMonths,
  weekMask: texts.weekdays,
  monthMask: texts.monthDays,
  weekMonthMask: texts.weeks,
  monthlyType1: texts.monthly,
  monthlyType2: texts.whichMonths,
  yearMask: texts.months,
  apptRulesPhysicians: texts.providers,
} satisfies Partial<Record<keyof RuleValues, string>>;

interface Person {
  userId: number;
  firstName: string;
  lastName: string;
}
type Options = readonly { value: string | number; label: string }[];

const labelOf = (options: Options, value: unknown) => options.find((option) => option.value === value)?.label;
const ticked = (options: readonly { bit: number; label: string }[], mask = 0) =>
  options
    .filter(({ bit }) => hasBit(mask, bit))
    .map(({ label }) => label)
    .join(', ');

/** A stored value as the editor shows it; undefined for a text, a number or a switch. */
export function ruleValueWords(
  name: keyof RuleValues,
  stored: Partial<RuleValues>,
  people: readonly Person[],
): string | undefined {
  switch (name) {
    case 'apptRulesTimes':
      return stored.apptRulesTimes?.map((slot) => slotWords(slot)).join(', ');
    case 'apptRulesPhysicians':
      return people
        .filter(({ userId }) => stored.apptRulesPhysicians?.some(({ physicianId }) => physicianId === userId))
        .map(({ firstName, lastName }) => `${firstName} ${lastName}`)
        .join(', ');
    case 'activeStartDate':
    case 'activeEndDate':
      return stored[name] ? formatDate(stored[name]) : '';
    case 'ruleType':
      return labelOf(ruleTypes, stored.ruleType);
    case 'dailyType':
      return labelOf(dailyTypes, stored.dailyType);
    case 'monthlyType1':
      return labelOf(dayTypes, stored.monthlyType1);
    case 'monthlyType2':
      return labelOf(monthTypes, stored.monthlyType2);
    case 'weekMask':
      return ticked(weekdays, stored.weekMask);
    case 'monthMask':
      return ticked(monthDays, stored.monthMask);
    case 'weekMonthMask':
      return ticked(weeks, stored.weekMonthMask);
    case 'yearMask':
      return ticked(months, stored.yearMask);
    default:
      return undefined;
  }
}

const slotWords = ({ startTime, endTime }: RuleValues['apptRulesTimes'][number]) =>
  `${formatMinute(minuteOf(startTime))} – ${formatMinute(minuteOf(endTime))}`;
