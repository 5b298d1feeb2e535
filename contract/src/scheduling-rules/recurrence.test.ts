// The types describe the ES module, but Node loads the CommonJS one, where everything is on the default export.
// oxlint-disable-next-line import/default
import rrulePackage from 'rrule';
import { describe, expect, test } from 'vitest';
import {
  datesOf,
  hasBit,
  lastDayOfMonth,
  lastWeek,
  nextDates,
  occursOn,
  type Recurrence,
  ruleWords,
  withBit,
} from './recurrence.ts';
import { randomOf, randomRule, ruleOf } from './recurrence-random.ts';

const { RRule } = rrulePackage;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);
const dayMs = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the set bits from the binary digits, independent of the code under test. */
const bitsOf = (mask: number) =>
  Array.from(mask.toString(2))
    .reverse()
    .flatMap((digit, bit) => (digit === '1' ? [bit] : []));

/** Returns the dates up to `to` by the library `rrule`, which has no interval 0. */
function byRrule(rule: Recurrence, to: string): string[] {
  const until =
    rule.activeEndDate !== null && rule.ruleType !== 'S' && rule.activeEndDate < to ? rule.activeEndDate : to;
  const common = {
    dtstart: new Date(rule.activeStartDate),
    until: new Date(until),
    wkst: RRule.SU,
  };
  // rrule counts weekdays from Monday.
  const weekdays = bitsOf(rule.weekMask).map((bit) => (bit + 6) % 7);
  if (rule.ruleType === 'S') return dates({ freq: RRule.DAILY, count: 1 });
  if (rule.ruleType === 'D') {
    return dates(
      rule.dailyType === 1
        ? { freq: RRule.DAILY, interval: rule.everyNday }
        : { freq: RRule.DAILY, byweekday: [0, 1, 2, 3, 4] },
    );
  }
  if (rule.ruleType === 'W') {
    if (weekdays.length === 0) return [];
    return dates({ freq: RRule.WEEKLY, interval: rule.everyNweek, byweekday: weekdays });
  }
  const months =
    rule.monthlyType2 === 1 ? { interval: rule.everyNmonth } : { bymonth: bitsOf(rule.yearMask).map((bit) => bit + 1) };
  if (rule.monthlyType2 === 2 && rule.yearMask === 0) return [];
  if (rule.monthlyType1 === 1) {
    const bymonthday = bitsOf(rule.monthMask).map((bit) => (bit === 32 ? -1 : bit + 1));
    // Bit 31 is not a day.
    return dates({ freq: RRule.MONTHLY, ...months, bymonthday: bymonthday.filter((day) => day < 32) });
  }
  const weeks = bitsOf(rule.weekMonthMask).flatMap((bit) => (bit === 0 ? [] : [bit === 5 ? -1 : bit]));
  const byweekday = weeks.flatMap((week) =>
    weekdays.flatMap(
      (day) => [RRule.MO, RRule.TU, RRule.WE, RRule.TH, RRule.FR, RRule.SA, RRule.SU][day]?.nth(week) ?? [],
    ),
  );
  if (byweekday.length === 0) return [];
  return dates({ freq: RRule.MONTHLY, ...months, byweekday });

  function dates(options: Partial<NonNullable<ConstructorParameters<typeof RRule>[0]>>): string[] {
    if (options.bymonthday && [options.bymonthday].flat().length === 0) return [];
    return new RRule({ ...common, ...options }).all().map((date) => dateOf(date.getTime()));
  }
}

/** Returns the dates by checking each day: slow, and independent of the code under test. */
function byScan(rule: Recurrence, to: string): string[] {
  const start = new Date(rule.activeStartDate).getTime();
  const found: string[] = [];
  const interval = { S: 1, D: rule.dailyType === 1 ? rule.everyNday : 1, W: rule.everyNweek, M: rule.everyNmonth };
  const isOnce = interval[rule.ruleType] === 0 && !(rule.ruleType === 'M' && rule.monthlyType2 === 2);
  for (let ms = start; dateOf(ms) <= to; ms += dayMs) {
    if (!matches(new Date(ms))) continue;
    if (rule.activeEndDate === null || dateOf(ms) <= rule.activeEndDate) found.push(dateOf(ms));
    if (isOnce) break;
  }
  return found;

  function matches(date: Date): boolean {
    const weekday = date.getUTCDay();
    if (rule.ruleType === 'D') return rule.dailyType === 1 || !['Sat', 'Sun'].includes(date.toUTCString().slice(0, 3));
    if (rule.ruleType === 'W') return bitsOf(rule.weekMask).includes(weekday);
    if (rule.monthlyType2 === 2 && !bitsOf(rule.yearMask).includes(date.getUTCMonth())) return false;
    const month: string[] = [];
    const cursor = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
    while (cursor.getUTCMonth() === date.getUTCMonth()) {
      month.push(dateOf(cursor.getTime()));
      cursor.setUTCDate(cursor.getUTCDate() + 1);
    }
    const today = dateOf(date.getTime());
    if (rule.monthlyType1 === 1) {
      return bitsOf(rule.monthMask).some((bit) => today === (bit === 32 ? month.at(-1) : month[bit]));
    }
    const alike = month.filter((day) => new Date(day).getUTCDay() === weekday);
    return (
      bitsOf(rule.weekMask).includes(weekday) &&
      bitsOf(rule.weekMonthMask).some((bit) => bit > 0 && today === (bit === 5 ? alike.at(-1) : alike[bit - 1]))
    );
  }
}

describe('datesOf and occursOn against reference implementations', () => {
  test(`10,000 random rules: have the dates of the reference @ENTITY-14 (SEED=${seed})`, { timeout: 120_000 }, () => {
    const random = randomOf(seed);
    const counts = { rrule: 0, scan: 0, dates: 0 };
    for (let round = 0; round < 10_000; round += 1) {
      const rule = randomRule(random);
      const to = dateOf(new Date(rule.activeStartDate).getTime() + random(400) * dayMs);
      const hasZero =
        (rule.ruleType === 'D' && rule.dailyType === 1 && rule.everyNday === 0) ||
        (rule.ruleType === 'W' && rule.everyNweek === 0) ||
        (rule.ruleType === 'M' && rule.monthlyType2 === 1 && rule.everyNmonth === 0);
      counts[hasZero ? 'scan' : 'rrule'] += 1;
      const expected = hasZero ? byScan(rule, to) : byRrule(rule, to);
      counts.dates += expected.length;
      expect([rule, datesOf(rule, '2000-01-01', to)]).toEqual([rule, expected]);
      // The same from a day in the middle.
      const middle = dateOf(new Date(rule.activeStartDate).getTime() + random(200) * dayMs);
      expect([rule, datesOf(rule, middle, to)]).toEqual([rule, expected.filter((date) => date >= middle)]);
      expect([rule, occursOn(rule, middle) && middle <= to]).toEqual([rule, expected.includes(middle)]);
    }
    expect(counts.rrule).toBeGreaterThan(5000);
    expect(counts.scan).toBeGreaterThan(500);
    expect(counts.dates).toBeGreaterThan(30_000);
  });

  test('all 128 sets of weekdays with intervals 1 to 4 and 52: have the dates of the reference @ENTITY-14', () => {
    for (let weekMask = 0; weekMask < 128; weekMask += 1) {
      for (const everyNweek of [1, 2, 3, 4, 52]) {
        // Covers each weekday as the start.
        const rule = ruleOf({ ruleType: 'W', weekMask, everyNweek, activeStartDate: `2026-03-0${1 + (weekMask % 7)}` });
        expect([rule, datesOf(rule, '2026-01-01', '2026-06-30')]).toEqual([rule, byRrule(rule, '2026-06-30')]);
      }
    }
  });

  test('each day of the month alone, with the last day, and all other days: have the dates of the reference @ENTITY-14', () => {
    for (let day = 0; day < 31; day += 1) {
      for (const monthMask of [2 ** day, 2 ** day + lastDayOfMonth, 2 ** 31 - 1 - 2 ** day]) {
        const rule = ruleOf({ ruleType: 'M', monthMask, activeStartDate: '2027-11-30' });
        const dates = datesOf(rule, '2027-11-30', '2028-12-31');
        expect([monthMask, dates]).toEqual([monthMask, byRrule(rule, '2028-12-31')]);
        expect(dates.length).toBeGreaterThan(6);
      }
    }
  });

  test('all weeks of the month for each weekday, in every month: have the dates of the reference @ENTITY-14', () => {
    for (let weekMonthMask = 2; weekMonthMask < 64; weekMonthMask += 2) {
      for (let weekday = 0; weekday < 7; weekday += 1) {
        const rule = ruleOf({
          ruleType: 'M',
          monthlyType1: 2,
          monthlyType2: 2,
          weekMask: 2 ** weekday,
          weekMonthMask,
          yearMask: 2 ** (weekMonthMask % 12) + 2 ** weekday,
        });
        expect([rule, datesOf(rule, '2026-01-01', '2027-12-31')]).toEqual([rule, byRrule(rule, '2027-12-31')]);
      }
    }
  });

  test('every daily interval up to 365: has the dates of the reference', () => {
    for (let everyNday = 1; everyNday <= 365; everyNday += 1) {
      const rule = ruleOf({ ruleType: 'D', everyNday });
      expect(datesOf(rule, '2026-01-01', '2027-12-31')).toEqual(byRrule(rule, '2027-12-31'));
    }
  });
});

describe('single cases', () => {
  test('hasBit and withBit: work beyond 32 bits @ENTITY-14', () => {
    expect(hasBit(lastDayOfMonth, 32)).toBe(true);
    expect(hasBit(lastDayOfMonth, 0)).toBe(false);
    expect(hasBit(2 ** 31, 31)).toBe(true);
    expect(hasBit(2 ** 33 - 1, 31)).toBe(true);
    expect(withBit(0, 32, true)).toBe(lastDayOfMonth);
    expect(withBit(lastDayOfMonth + 1, 32, false)).toBe(1);
    expect(withBit(5, 0, true)).toBe(5);
    expect(withBit(5, 1, false)).toBe(5);
    expect(withBit(0, 5, true)).toBe(lastWeek);
  });

  test.each([
    ['a short month', { monthMask: 2 ** 30 }, ['2026-03-31', '2026-05-31', '2026-07-31']],
    ['the last day', { monthMask: lastDayOfMonth }, ['2026-03-31', '2026-04-30', '2026-05-31']],
    ['the last day that is also the 31st', { monthMask: lastDayOfMonth + 2 ** 30 }, ['2026-03-31', '2026-04-30']],
    ['a leap day', { monthMask: 2 ** 28, yearMask: 2, monthlyType2: 2 }, ['2028-02-29', '2032-02-29']],
    ['no fifth week', { monthlyType1: 2, weekMask: 4, weekMonthMask: lastWeek }, ['2026-03-31', '2026-04-28']],
    [
      'the first day of the first week',
      { monthlyType1: 2, weekMask: 4, weekMonthMask: 2 },
      ['2026-03-03', '2026-04-07'],
    ],
    ['every 11 months', { monthMask: 1, everyNmonth: 11 }, ['2027-02-01', '2028-01-01', '2028-12-01']],
  ] as const)('nextDates, monthly: %s @ENTITY-14', (_, changes, dates) => {
    expect(nextDates(ruleOf({ ruleType: 'M', ...changes }), '2026-01-01', dates.length)).toEqual(dates);
  });

  test.each([
    ['daily', { ruleType: 'D', everyNday: 0 }, ['2026-03-03']],
    ['weekly', { ruleType: 'W', everyNweek: 0, weekMask: 2 + 1 }, ['2026-03-08']],
    ['monthly', { ruleType: 'M', everyNmonth: 0, monthMask: 2 }, ['2026-04-02']],
    [
      'monthly by weekday',
      { ruleType: 'M', everyNmonth: 0, monthlyType1: 2, weekMask: 2, weekMonthMask: 2 },
      ['2026-04-06'],
    ],
    ['past its end', { ruleType: 'W', everyNweek: 0, weekMask: 1, activeEndDate: '2026-03-07' }, []],
  ] as const)('interval 0: one date, %s', (_, changes, dates) => {
    const rule = ruleOf(changes);
    expect(nextDates(rule, '2026-01-01', 5)).toEqual(dates);
    expect(nextDates(rule, '2026-04-07', 5)).toEqual([]);
    expect(dates.every((date) => occursOn(rule, date))).toBe(true);
  });

  test('weeks: begin on Sunday and count from the week of the start', () => {
    // From Tuesday: the Wednesday of that week, and the Sunday two weeks after the one before the start.
    const rule = ruleOf({ ruleType: 'W', everyNweek: 2, weekMask: 1 + 8 });
    expect(nextDates(rule, '2026-01-01', 4)).toEqual(['2026-03-04', '2026-03-15', '2026-03-18', '2026-03-29']);
  });

  test('activeEndDate: inclusive, and ignored for a single day', () => {
    expect(nextDates(ruleOf({ ruleType: 'D', activeEndDate: '2026-03-04' }), '2026-03-03', 9)).toHaveLength(2);
    expect(nextDates(ruleOf({ activeEndDate: '2026-01-01' }), '2026-01-01', 9)).toEqual(['2026-03-03']);
  });

  test('every weekday: ignores the interval', () => {
    const rule = ruleOf({ ruleType: 'D', dailyType: 2, everyNday: 0, activeStartDate: '2026-03-06' });
    expect(nextDates(rule, '2026-03-06', 3)).toEqual(['2026-03-06', '2026-03-09', '2026-03-10']);
  });

  test.each([
    ['Feb 30', { ruleType: 'M', monthMask: 2 ** 29, monthlyType2: 2, yearMask: 2 }],
    ['no weekday', { ruleType: 'W' }],
    ['a start on the last possible day', { ruleType: 'D', activeStartDate: '9999-12-31' }],
  ] as const)('a rule without dates: returns none within a second, %s', (_, changes) => {
    const began = performance.now();
    expect(nextDates(ruleOf(changes), '2026-01-01', 5)).toEqual([]);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test('nextDates: finds leap days 44 years apart', () => {
    // Every 11 months from March reaches February of a leap year every 44 years.
    const rule = ruleOf({ ruleType: 'M', everyNmonth: 11, monthMask: 2 ** 28, monthlyType2: 1 });
    const leapDays = nextDates(rule, '2026-03-03', 200).filter((date) => date.endsWith('-02-29'));
    expect(leapDays).toEqual(['2060-02-29', '2104-02-29', '2148-02-29', '2192-02-29']);
  });

  test('an invalid date: throws RangeError', () => {
    expect(() => occursOn(ruleOf({}), 'tomorrow')).toThrow('Not a date: tomorrow');
    expect(() => occursOn(ruleOf({ activeStartDate: '' }), '2026-01-01')).toThrow(RangeError);
  });
});

test.each([
  [{}, 'Once on 03/03/2026'],
  [{ activeEndDate: '2026-06-30' }, 'Once on 03/03/2026'],
  [{ ruleType: 'D' }, 'Every day'],
  [{ ruleType: 'D', everyNday: 2, activeEndDate: '2026-06-30' }, 'Every 2 days until 06/30/2026'],
  [{ ruleType: 'D', everyNday: 0 }, 'Once on 03/03/2026'],
  [{ ruleType: 'D', dailyType: 2 }, 'Every weekday'],
  [{ ruleType: 'W', weekMask: 2 + 8 + 32 }, 'Every week on Mon, Wed and Fri'],
  [{ ruleType: 'W', weekMask: 1, everyNweek: 3 }, 'Every 3 weeks on Sun'],
  [{ ruleType: 'W', weekMask: 2 + 8, everyNweek: 0 }, 'Once, on the first Mon or Wed on or after 03/03/2026'],
  [{ ruleType: 'W' }, 'Never'],
  [
    { ruleType: 'M', everyNmonth: 3, monthMask: 1 + 2 ** 14 + lastDayOfMonth },
    'Every 3 months on the 1st, 15th and the last day',
  ],
  [{ ruleType: 'M', monthMask: lastDayOfMonth }, 'Every month on the last day'],
  [{ ruleType: 'M', monthMask: 2 ** 22 + 2 ** 10 + 2 ** 1 }, 'Every month on the 2nd, 11th and 23rd'],
  [
    { ruleType: 'M', monthlyType1: 2, monthlyType2: 2, weekMask: 4, weekMonthMask: 4 + lastWeek, yearMask: 1 + 64 },
    'The second and last Tue of Jan and Jul',
  ],
  [{ ruleType: 'M', monthlyType1: 2, weekMask: 4 + 16, weekMonthMask: 2 }, 'Every month on the first Tue and Thu'],
  [{ ruleType: 'M', monthlyType2: 2, monthMask: 4, yearMask: 4095 }, 'The 3rd of every month'],
  [{ ruleType: 'M', everyNmonth: 0, monthMask: 1 + 2 }, 'Once, on the next 1st or 2nd on or after 03/03/2026'],
  [{ ruleType: 'M', monthlyType1: 2, weekMask: 4 }, 'Never'],
  [{ ruleType: 'M', monthlyType2: 2, monthMask: 4 }, 'Never'],
] as const)('ruleWords: %o', (changes, words) => {
  expect(ruleWords(ruleOf(changes))).toBe(words);
});
