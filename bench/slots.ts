import 'temporal-polyfill/global';
import { isDeepStrictEqual } from 'node:util';
// The types describe the ES module, but Node loads the CommonJS one, where everything is on the default export.
// oxlint-disable-next-line import/default
import rrulePackage from 'rrule';
import { type Busy, type FreeSlotsQuery, freeSlots } from '../contract/src/schedule/slots.ts';
import { type RuleInForce, windowsOn } from '../contract/src/schedule/windows.ts';
import { dateText, dayNumber } from '../contract/src/scheduling-rules/recurrence-days.ts';
import { type Random, randomOf, ruleOf } from '../contract/src/scheduling-rules/recurrence-random.ts';
import { dayClock } from '../contract/src/time.ts';

const { RRule } = rrulePackage;
const timeZone = 'America/New_York';
const minuteMs = 60_000;
const from = '2026-03-01';
const dayCount = 30;
const lastDay = dayNumber(from) + dayCount - 1;
const dates = Array.from({ length: dayCount }, (_, index) => dateText(dayNumber(from) + index));

/**
 * Measures the free slots of 100 providers with three rules each over 30 days, including a clock change, compared with the minimum of work
 * (known windows, a merge of sorted integers) and with the library `rrule`. Throws when the three results differ. `count` is the number
 * of providers.
 */
export async function slots(count = 100): Promise<Record<string, number>> {
  // rrule handles time zones correctly only in a process with TZ=UTC.
  process.env['TZ'] = 'UTC';
  const seed = Number(process.env['SEED'] ?? 20_260_301);
  process.stdout.write(`SEED=${seed}, ${count} providers x ${dayCount} days x 3 rules\n`);
  const query = clinic(randomOf(seed), count);
  const tenth = { ...query, providers: query.providers.slice(0, count / 10), rules: query.rules.slice(0, count * 0.3) };
  const known = precompute(query);

  const ours = () => freeSlots(query);
  const merge = () => mergeOnly(query, known);
  // The library needs minutes for all providers: the ratio is measured with a fiftieth of them.
  const few = Math.max(1, count / 50);
  const part = { ...query, providers: query.providers.slice(0, few), rules: query.rules.slice(0, few * 3) };
  const library = () => byRrule(part);
  const flat = (days: ReturnType<typeof freeSlots>) => days.flatMap(({ at }) => at);
  const slotsOfAll = flat(ours());
  if (!isDeepStrictEqual(slotsOfAll, merge())) throw new Error('The merge returns different slots.');
  if (!isDeepStrictEqual(flat(freeSlots(part)), library())) throw new Error('rrule returns different slots.');

  for (let warm = 0; warm < 200; warm += 1) {
    ours();
    merge();
    freeSlots(tenth);
  }
  const names = ['ours', 'tenth', 'part', 'merge', 'library', 'daysOnly'] as const;
  const timed = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    (typeof names)[number],
    number[]
  >;
  for (let turn = 0; turn < 5; turn += 1) {
    timed.merge.push(time(merge, 100));
    timed.ours.push(time(ours, 100));
    timed.tenth.push(time(() => freeSlots(tenth), 1000));
    timed.part.push(time(() => freeSlots(part), 1000));
    timed.library.push(time(library, 1));
    timed.daysOnly.push(time(() => daysByRrule(query), 1));
  }
  const oursMs = median(timed.ours);
  const mergeMs = median(timed.merge);
  return {
    slots: slotsOfAll.length,
    oursMs: round(oursMs, 1000),
    mergeMs: round(mergeMs, 1000),
    rruleMsOfAFiftieth: round(median(timed.library), 1),
    vsMerge: round(oursMs / mergeMs, 100),
    vsRrule: round(median(timed.library) / median(timed.part), 1),
    vsRruleDaysOnly: round(median(timed.daysOnly) / oursMs, 10),
    growthTenfold: round(oursMs / median(timed.tenth) / 10, 100),
  };
}

/** Builds providers who work mornings, every other afternoon and one evening a month, with about a third of the time booked. */
function clinic(random: Random, count: number): FreeSlotsQuery {
  const providers = Array.from({ length: count }, (_, index) => ({ userId: index + 1, usesRules: true }));
  const rules = providers.flatMap(({ userId }): RuleInForce[] => {
    const rule = {
      disabled: false,
      providerIds: [userId],
      activeStartDate: dateText(dayNumber(from) - random(30)),
    };
    const hour = (of: number) => `${String(of).padStart(2, '0')}:00`;
    const begin = 7 + random(3);
    return [
      {
        ...ruleOf({ ...rule, ruleType: 'W', weekMask: 62 }),
        ...rule,
        times: [{ startTime: hour(begin), endTime: hour(12) }],
      },
      {
        ...ruleOf({ ...rule, ruleType: 'W', everyNweek: 2, weekMask: 2 ** (1 + random(3)) + 48 }),
        ...rule,
        times: [{ startTime: hour(12 + random(2)), endTime: hour(17) }],
      },
      {
        ...ruleOf({ ...rule, ruleType: 'M', monthlyType1: 2, weekMask: 127, weekMonthMask: 2 + 2 ** (2 + random(4)) }),
        ...rule,
        times: [{ startTime: hour(15), endTime: hour(20) }],
      },
    ];
  });
  const busy = new Map<number, Busy[]>();
  for (const { userId } of providers) {
    const own: Busy[] = [];
    for (const date of dates) {
      const clock = dayClock(timeZone, dayNumber(date));
      for (let minute = 420; minute < 1200; minute += 15 + random(75)) {
        own.push({ start: clock(minute), end: clock(minute + 15) });
        minute += 15;
      }
    }
    busy.set(userId, own);
  }
  return {
    from,
    to: dateText(lastDay),
    timeZone,
    company: { startHour: 8, endHour: 17, slot: 15, duration: 15 },
    providers,
    rules,
    timeOff: [],
    busyOf: (doctorId) => busy.get(doctorId) ?? [],
    now: Date.parse('2026-03-02T15:00:00Z'),
  };
}

interface Known {
  /** By day: start, end, start, end …, minutes of wall time. */
  windows: Int32Array[];
  /** Start, end, start, end …, epoch ms, followed by infinity. */
  busy: Float64Array;
}

/** Returns the input of the merge: expanded rules, merged windows, flat busy times. */
function precompute(query: FreeSlotsQuery): Known[] {
  return query.providers.map(({ userId, usesRules }) => ({
    windows: dates.map((date) =>
      Int32Array.from(
        windowsOn({ ...query, date, doctorId: userId, usesRules }).flatMap(({ start, end }) => [start, end]),
      ),
    ),
    busy: Float64Array.from([
      ...query.busyOf(userId).flatMap(({ start, end }) => [start, end]),
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]),
  }));
}

/** Computes the slots with the minimum of work. */
function mergeOnly({ company, now }: FreeSlotsQuery, known: readonly Known[]): number[] {
  const step = company.slot * minuteMs;
  const duration = company.duration * minuteMs;
  const clocks = dates.map((date) => dayClock(timeZone, dayNumber(date)));
  const free: number[] = [];
  for (const { windows, busy } of known) {
    let next = 0;
    for (let day = 0; day < dayCount; day += 1) {
      const edges = windows[day];
      const clock = clocks[day];
      if (!edges || !clock) continue;
      for (let edge = 0; edge < edges.length; edge += 2) {
        const last = clock(edges[edge + 1] ?? 0) - duration;
        for (let at = clock(edges[edge] ?? 0); at <= last; at += step) {
          while ((busy[next + 1] ?? 0) <= at) next += 2;
          if (at >= now && (busy[next] ?? 0) >= at + duration) free.push(at);
        }
      }
    }
  }
  return free;
}

const weekdays = [RRule.SU, RRule.MO, RRule.TU, RRule.WE, RRule.TH, RRule.FR, RRule.SA];
const bits = (mask: number) => [0, 1, 2, 3, 4, 5, 6].filter((bit) => (mask >> bit) & 1);

/** Converts a rule for the library, which has no week masks and counts the last week as -1. */
function patternFor(rule: RuleInForce) {
  const chosen = bits(rule.weekMask).flatMap((bit) => weekdays[bit] ?? []);
  const common = { dtstart: new Date(rule.activeStartDate), wkst: RRule.SU };
  if (rule.ruleType === 'W') {
    return { ...common, freq: RRule.WEEKLY, interval: rule.everyNweek, byweekday: chosen };
  }
  const weeks = bits(rule.weekMonthMask).map((bit) => (bit === 5 ? -1 : bit));
  const byweekday = weeks.flatMap((week) => chosen.map((weekday) => weekday.nth(week)));
  return { ...common, freq: RRule.MONTHLY, interval: rule.everyNmonth, byweekday };
}

/** Computes the slots with the library in the time zone, and removes the busy ones. */
function byRrule({ rules, providers, company, busyOf, now }: FreeSlotsQuery): number[] {
  const duration = company.duration * minuteMs;
  const starts = new Map(providers.map(({ userId }) => [userId, new Set<number>()]));
  const [first, last] = [new Date(dayClock(timeZone, dayNumber(from))(0)), new Date(dayClock(timeZone, lastDay)(1440))];
  for (const rule of rules) {
    for (const { startTime, endTime } of rule.times) {
      const [begin, end] = [Number(startTime.slice(0, 2)), Number(endTime.slice(0, 2))];
      const slots = new RRule(
        {
          ...patternFor(rule),
          byhour: Array.from({ length: end - begin }, (_, index) => begin + index),
          byminute: [0, 15, 30, 45],
          bysecond: [0],
          tzid: timeZone,
        },
        true,
      );
      for (const slot of slots.between(first, last, true)) {
        for (const userId of rule.providerIds) starts.get(userId)?.add(slot.getTime());
      }
    }
  }
  return providers.flatMap(({ userId }) => {
    const busy = busyOf(userId);
    let next = 0;
    return [...(starts.get(userId) ?? [])]
      .sort((a, b) => a - b)
      .filter((at) => {
        while (next < busy.length && (busy[next]?.end ?? 0) <= at) next += 1;
        return at >= now && (busy[next]?.start ?? Number.POSITIVE_INFINITY) >= at + duration;
      });
  });
}

/** Computes only the days of each rule with the library. */
function daysByRrule({ rules }: FreeSlotsQuery): number {
  const [first, last] = [new Date(from), new Date(dateText(lastDay))];
  let found = 0;
  for (const rule of rules) found += new RRule(patternFor(rule), true).between(first, last, true).length;
  return found;
}

/** Returns the mean duration of one run, ms. */
function time(run: () => unknown, runs: number): number {
  const began = performance.now();
  for (let turn = 0; turn < runs; turn += 1) run();
  return (performance.now() - began) / runs;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

function round(figure: number, parts: number): number {
  return Math.round(figure * parts) / parts;
}
