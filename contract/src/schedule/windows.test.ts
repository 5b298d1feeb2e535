import { expect, test } from 'vitest';
import { ruleOf } from '../scheduling-rules/recurrence-random.ts';
import { joined, type RuleInForce, type TimeOff, windowsOn } from './windows.ts';

// A Monday.
const date = '2026-03-09';
const company = { startHour: 8, endHour: 17 };

/** A rule of provider 7 on every day from the date, with times like '09:00-10:00'. */
function rule(times: readonly string[], changes: Partial<RuleInForce> = {}): RuleInForce {
  return {
    ...ruleOf({ ruleType: 'D', activeStartDate: date }),
    disabled: false,
    times: times.map((text) => ({ startTime: text.slice(0, 5), endTime: text.slice(6) })),
    providerIds: [7],
    ...changes,
  };
}

const off = (userId: number | null, firstDay: string, lastDay = firstDay): TimeOff => ({ userId, firstDay, lastDay });

interface Case {
  date?: string;
  usesRules?: boolean;
  rules?: RuleInForce[];
  timeOff?: TimeOff[];
}

test.each<[string, Case, string[]]>([
  ['the times of a rule', { rules: [rule(['09:00-12:00', '13:00-17:30'])] }, ['540-720', '780-1050']],
  ['in ascending order', { rules: [rule(['13:00-14:00', '09:00-10:00'])] }, ['540-600', '780-840']],
  ['adjacent ones merged', { rules: [rule(['09:00-10:00', '10:00-11:00'])] }, ['540-660']],
  ['a minute apart', { rules: [rule(['09:00-10:00', '10:01-11:00'])] }, ['540-600', '601-660']],
  ['overlapping ones of two rules merged', { rules: [rule(['09:00-11:00']), rule(['10:00-12:00'])] }, ['540-720']],
  ['one within another', { rules: [rule(['09:00-12:00']), rule(['10:00-11:00', '11:30-11:45'])] }, ['540-720']],
  ['the same twice', { rules: [rule(['09:00-10:00']), rule(['09:00-10:00'])] }, ['540-600']],
  ['up to midnight', { rules: [rule(['22:00-24:00'])] }, ['1320-1440']],
  [
    'one between two others merged',
    { rules: [rule(['08:00-09:00', '10:00-11:00']), rule(['09:00-10:00'])] },
    ['480-660'],
  ],
  ['of several providers', { rules: [rule(['09:00-10:00'], { providerIds: [5, 7] })] }, ['540-600']],
  ['none for a disabled rule', { rules: [rule(['09:00-10:00'], { disabled: true })] }, []],
  [
    'a disabled rule and an enabled one',
    { rules: [rule(['09:00-10:00'], { disabled: true }), rule(['14:00-15:00'])] },
    ['840-900'],
  ],
  ['a rule of other providers', { rules: [rule(['09:00-10:00'], { providerIds: [8] })] }, []],
  [
    'a rule that has ended',
    { date: '2026-03-11', rules: [rule(['09:00-10:00'], { activeEndDate: '2026-03-10' })] },
    [],
  ],
  ['a rule that has not started', { date: '2026-03-08', rules: [rule(['09:00-10:00'])] }, []],
  ['a rule of another weekday', { rules: [rule(['09:00-10:00'], { ruleType: 'W', weekMask: 4 })] }, []],
  ['formerly on a rule, now on none', { rules: [] }, []],
  ['never on a rule, Monday', { usesRules: false }, ['480-1020']],
  ['never on a rule, Friday', { usesRules: false, date: '2026-03-13' }, ['480-1020']],
  ['never on a rule, Saturday', { usesRules: false, date: '2026-03-14' }, []],
  ['never on a rule, Sunday', { usesRules: false, date: '2026-03-15' }, []],
  ['never on a rule, but closed', { usesRules: false, timeOff: [off(null, date)] }, []],
  ['a closure overrides every rule', { rules: [rule(['09:00-10:00'])], timeOff: [off(null, date)] }, []],
  ['own leave', { rules: [rule(['09:00-10:00'])], timeOff: [off(7, '2026-03-01', date)] }, []],
  ['first day of a leave', { rules: [rule(['09:00-10:00'])], timeOff: [off(7, date, '2026-04-01')] }, []],
  ["a colleague's leave", { rules: [rule(['09:00-10:00'])], timeOff: [off(8, date)] }, ['540-600']],
  [
    'the day after a closure',
    { rules: [rule(['09:00-10:00'])], timeOff: [off(null, '2026-03-07', '2026-03-08')] },
    ['540-600'],
  ],
  ['the day before a leave', { rules: [rule(['09:00-10:00'])], timeOff: [off(7, '2026-03-10')] }, ['540-600']],
])('windows: %s', (_, query, expected) => {
  const windows = windowsOn({ date, doctorId: 7, usesRules: true, rules: [], timeOff: [], company, ...query });
  expect(windows.map(({ start, end }) => `${start}-${end}`)).toEqual(expected);
});

test('joined: does not change its argument', () => {
  const given = [
    { start: 60, end: 120 },
    { start: 0, end: 60 },
    { start: 300, end: 300 },
  ];
  const before = structuredClone(given);
  expect(joined(given)).toEqual([{ start: 0, end: 120 }]);
  expect(given).toEqual(before);
});
