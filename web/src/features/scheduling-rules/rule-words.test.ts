import 'temporal-polyfill/global';
import { lastDayOfMonth } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { expect, test } from 'vitest';
import { blankRule, type RuleValues } from './rule-form.ts';
import { ruleLabels, ruleValueWords } from './rule-words.ts';

const people = [
  { userId: 3, firstName: 'Ana', lastName: 'Reyes' },
  { userId: 4, firstName: 'Bo', lastName: 'Lund' },
];
const stored: RuleValues = {
  ...blankRule('2026-06-10', 4),
  ruleType: 'W',
  weekMask: 0b10010,
  monthMask: 1 + lastDayOfMonth,
  weekMonthMask: 0b100010,
  yearMask: 0b101,
  monthlyType1: 2,
  apptRulesTimes: [
    { startTime: '09:00', endTime: '12:30' },
    { startTime: '14:00', endTime: '24:00' },
  ],
};

test('conflict of a rule: each field has a label, and its stored value reads as in the editor', () => {
  const keys = Object.keys(stored).filter((name) => name !== 'ruleId' && name !== 'version');
  expect(Object.keys(ruleLabels).sort()).toEqual(keys.sort());
  const words = (name: keyof RuleValues) => ruleValueWords(name, stored, people);
  expect(words('apptRulesTimes')).toBe('9:00 AM – 12:30 PM, 2:00 PM – 12:00 AM');
  expect(words('apptRulesPhysicians')).toBe('Bo Lund');
  expect([words('activeStartDate'), words('activeEndDate')]).toEqual(['06/10/2026', '']);
  expect([words('ruleType'), words('dailyType')]).toEqual(['Weekly', 'Every N days']);
  expect([words('monthlyType1'), words('monthlyType2')]).toEqual(['Days of the week', 'Every N months']);
  expect([words('weekMask'), words('monthMask')]).toEqual(['Monday, Thursday', '1, Last day']);
  expect([words('weekMonthMask'), words('yearMask')]).toEqual(['First, Last', 'Jan, Mar']);
  expect(words('everyNweek')).toBeUndefined();
});
