import { describe, expect, test } from 'vitest';
import { dateText, dayNumber } from '../scheduling-rules/recurrence-days.ts';
import { type Random, randomOf, randomRule, ruleOf } from '../scheduling-rules/recurrence-random.ts';
import { wallToInstant } from '../time.ts';
import { type Busy, daySlots, freeSlots, isMorning } from './slots.ts';
import { type RuleInForce, type TimeOff, type Window, windowsOn } from './windows.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);
const minuteMs = 60_000;
const dayMs = 86_400_000;
const newYork = 'America/New_York';

const dayOf = (changes: Partial<Parameters<typeof daySlots>[0]>) => ({
  date: '2026-03-09',
  timeZone: newYork,
  windows: [{ start: 540, end: 600 }],
  slotMinutes: 15,
  durationMinutes: 15,
  busy: [],
  now: 0,
  ...changes,
});
const wallTimes = (slots: readonly { at: number }[], zone = newYork) =>
  slots.map(({ at }) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainTime().toString());
/** Epoch ms of a wall time on the day of `dayOf`. */
const at = (time: string, date = '2026-03-09') => Date.parse(wallToInstant(date, time, newYork));

describe('days on which clocks change', () => {
  const days: Record<string, readonly string[]> = {
    'America/New_York': ['2026-03-07', '2026-03-08', '2026-03-09', '2026-10-31', '2026-11-01', '2026-11-02'],
    'Europe/London': ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26'],
    'Australia/Lord_Howe': ['2026-04-04', '2026-04-05', '2026-04-06', '2026-10-03', '2026-10-04', '2026-10-05'],
    'Pacific/Apia': ['2011-09-24', '2011-12-29', '2011-12-30', '2011-12-31', '2012-04-01', '2026-06-01'],
    'Asia/Kolkata': ['2026-03-29', '2026-11-01'],
    'Asia/Kathmandu': ['1985-12-31', '1986-01-01', '2026-06-01'],
    // Zones where midnight is repeated or skipped.
    'America/Havana': ['2026-03-08', '2026-10-31', '2026-11-01'],
    'America/Asuncion': ['2023-10-01', '2024-03-23', '2024-03-24'],
  };

  test.each(Object.entries(days))(
    `daySlots: same slots as a search minute by minute in %s (SEED=${seed})`,
    (timeZone, dates) => {
      const random = randomOf(seed);
      let found = 0;
      for (const date of dates) {
        const walls = wallOfMinutes(date, timeZone);
        const midnight = dayNumber(date) * dayMs;
        for (let round = 0; round < 100; round += 1) {
          const query = {
            date,
            timeZone,
            windows: randomWindows(random),
            slotMinutes: oneOf(random, [10, 15, 20, 30, 60]),
            durationMinutes: oneOf(random, [10, 15, 20, 30, 60]),
            busy: randomBusy(random, midnight - dayMs, 8),
            now: random(3) === 0 ? midnight + (random(48 * 60) - 12 * 60) * minuteMs + random(minuteMs) : 0,
          };
          const expected = minuteByMinute(query, walls);
          expect({ query, slots: daySlots(query) }).toEqual({ query, slots: expected });
          found += expected.length;
        }
      }
      expect(found).toBeGreaterThan(500);
    },
  );

  test('daySlots: a skipped or repeated hour makes the day shorter or longer', () => {
    const night = [{ start: 0, end: 360 }];
    const hours = (date: string) => daySlots(dayOf({ date, windows: night, slotMinutes: 60, durationMinutes: 60 }));
    expect(wallTimes(hours('2026-03-08'))).toEqual(['00:00:00', '01:00:00', '03:00:00', '04:00:00', '05:00:00']);
    expect(wallTimes(hours('2026-11-01')).slice(0, 4)).toEqual(['00:00:00', '01:00:00', '01:00:00', '02:00:00']);
    expect(hours('2026-11-01')).toHaveLength(7);
  });

  test('daySlots: a window that starts in a gap begins at the end of the gap', () => {
    const windows = [{ start: 150, end: 240 }];
    expect(wallTimes(daySlots(dayOf({ date: '2026-03-08', windows, slotMinutes: 30, durationMinutes: 30 })))).toEqual([
      '03:00:00',
      '03:30:00',
    ]);
  });

  test('daySlots: a window within a repeated hour is open the first time only', () => {
    const windows = [{ start: 60, end: 90 }];
    const slots = daySlots(dayOf({ date: '2026-11-01', windows }));
    expect(slots.map((slot) => new Date(slot.at).toISOString())).toEqual([
      '2026-11-01T05:00:00.000Z',
      '2026-11-01T05:15:00.000Z',
    ]);
  });

  test('daySlots: none on a day that the zone skips', () => {
    const windows = [{ start: 0, end: 1440 }];
    const count = (date: string) => daySlots(dayOf({ date, timeZone: 'Pacific/Apia', windows })).length;
    expect([count('2011-12-29'), count('2011-12-30'), count('2011-12-31')]).toEqual([96, 0, 96]);
  });
});

describe('daySlots', () => {
  test('slots: fit before the end of each window and count from its start', () => {
    const windows = [
      { start: 545, end: 600 },
      { start: 780, end: 799 },
      { start: 900, end: 910 },
    ];
    expect(wallTimes(daySlots(dayOf({ windows, slotMinutes: 20 })))).toEqual([
      '09:05:00',
      '09:25:00',
      '09:45:00',
      '13:00:00',
    ]);
    expect(wallTimes(daySlots(dayOf({ windows, durationMinutes: 60 })))).toEqual([]);
    expect(wallTimes(daySlots(dayOf({ windows: [{ start: 540, end: 600 }], durationMinutes: 60 })))).toEqual([
      '09:00:00',
    ]);
  });

  test.each([
    [
      'touching on both sides',
      [
        ['08:00', '09:15'],
        ['09:30', '12:00'],
      ],
      ['09:15'],
    ],
    ['a minute into the next', [['09:15', '09:31']], ['09:00', '09:45']],
    [
      'a long one that starts before a short one',
      [
        ['08:00', '09:30'],
        ['08:10', '08:20'],
      ],
      ['09:30', '09:45'],
    ],
    ['over the whole day', [['00:00', '23:59']], []],
    [
      'elsewhere',
      [
        ['07:00', '09:00'],
        ['10:00', '11:00'],
      ],
      ['09:00', '09:15', '09:30', '09:45'],
    ],
  ] as const)('appointments %s: slots without overlap are free', (_, busy, expected) => {
    const slots = daySlots(dayOf({ busy: busy.map(([start, end]) => ({ start: at(start), end: at(end) })) }));
    expect(slots).toHaveLength(4);
    expect(wallTimes(slots.filter(({ free }) => free)).map((time) => time.slice(0, 5))).toEqual(expected);
  });

  test('past slots: left out; one that begins now is not past', () => {
    expect(wallTimes(daySlots(dayOf({ now: at('09:30') })))).toEqual(['09:30:00', '09:45:00']);
    expect(wallTimes(daySlots(dayOf({ now: at('09:30') + 1 })))).toEqual(['09:45:00']);
    expect(daySlots(dayOf({ now: at('12:00') }))).toEqual([]);
  });

  test('an interval or length of 0: throws RangeError', () => {
    expect(() => daySlots(dayOf({ slotMinutes: 0 }))).toThrow(RangeError);
    expect(() => daySlots(dayOf({ durationMinutes: Number.NaN }))).toThrow(RangeError);
  });

  test('isMorning: 12:00 in the zone of the clinic is afternoon @CONST-11', () => {
    expect(isMorning(at('11:59'), newYork)).toBe(true);
    expect(isMorning(at('12:00'), newYork)).toBe(false);
    expect(isMorning(at('00:00'), newYork)).toBe(true);
    // Kathmandu is at UTC+5:45: noon there is 06:15 UTC.
    expect(isMorning(Date.parse('2026-03-09T06:14:59Z'), 'Asia/Kathmandu')).toBe(true);
    expect(isMorning(Date.parse('2026-03-09T06:15:00Z'), 'Asia/Kathmandu')).toBe(false);
    // After a clock change the offset of the instant counts, not that of the start of the day.
    expect(isMorning(at('11:59', '2026-03-08'), newYork)).toBe(true);
    expect(isMorning(at('12:00', '2026-11-01'), newYork)).toBe(false);
  });
});

describe('freeSlots', () => {
  test(`returns the same slots as daySlots for each provider and day (SEED=${seed})`, () => {
    const random = randomOf(seed);
    let found = 0;
    for (const timeZone of [newYork, 'Australia/Lord_Howe', 'Pacific/Apia']) {
      for (let round = 0; round < 12; round += 1) {
        const first = dayNumber(
          timeZone === 'Pacific/Apia' ? '2011-12-20' : oneOf(random, ['2026-03-01', '2026-10-25']),
        );
        const [from, to] = [dateText(first), dateText(first + 14)];
        const providers = [1, 2, 3, 4, 5].map((userId) => ({ userId, usesRules: userId !== 3 }));
        const rules = Array.from({ length: 6 }, () => randomInForce(random, dateText(first - 60)));
        const timeOff = Array.from({ length: 2 }, (): TimeOff => {
          const day = first + random(15);
          return {
            userId: oneOf(random, [null, 1, 2, 3]),
            firstDay: dateText(day),
            lastDay: dateText(day + random(3)),
          };
        });
        const busy = new Map(providers.map(({ userId }) => [userId, randomBusy(random, first * dayMs, 60)]));
        const company = {
          startHour: 8,
          endHour: 17,
          slot: oneOf(random, [10, 15, 60]),
          duration: oneOf(random, [15, 30]),
        };
        const now = (first + 2) * dayMs + random(dayMs);
        const busyOf = (doctorId: number) => busy.get(doctorId) ?? [];
        const expected = providers.flatMap(({ userId, usesRules }) =>
          Array.from({ length: 15 }, (_, index) => dateText(first + index)).flatMap((date) => {
            const windows = windowsOn({ date, doctorId: userId, usesRules, rules, timeOff, company });
            const slots = daySlots({
              date,
              timeZone,
              windows,
              slotMinutes: company.slot,
              durationMinutes: company.duration,
              busy: busyOf(userId),
              now,
            });
            const free = slots.filter((slot) => slot.free).map((slot) => slot.at);
            return free.length > 0 ? [{ date, doctorId: userId, at: free }] : [];
          }),
        );
        expect(freeSlots({ from, to, timeZone, company, providers, rules, timeOff, busyOf, now })).toEqual(expected);
        found += expected.length;
      }
    }
    // About 700, with random rules.
    expect(found).toBeGreaterThan(200);
  });

  test('one day: returns slots of providers with a rule and of providers without any rules, and of no others', () => {
    const query = {
      from: '2026-03-09',
      to: '2026-03-09',
      timeZone: newYork,
      company: { startHour: 16, endHour: 17, slot: 30, duration: 30 },
      providers: [
        { userId: 7, usesRules: true },
        { userId: 8, usesRules: false },
        { userId: 9, usesRules: true },
      ],
      rules: [inForce({ providerIds: [7, 55] })],
      timeOff: [],
      busyOf: (doctorId: number) => (doctorId === 7 ? [{ start: at('09:00'), end: at('09:30') }] : []),
      now: 0,
    };
    expect(freeSlots(query)).toEqual([
      { date: '2026-03-09', doctorId: 7, at: [at('09:30')] },
      { date: '2026-03-09', doctorId: 8, at: [at('16:00'), at('16:30')] },
    ]);
    expect(freeSlots({ ...query, to: '2026-03-08' })).toEqual([]);
  });
});

/** Returns the wall time, as 'YYYY-MM-DDTHH:mm', of every UTC minute of the days around a date. */
function wallOfMinutes(date: string, timeZone: string): { at: number; wall: string }[] {
  const from = (dayNumber(date) - 1) * dayMs;
  return Array.from({ length: 3 * 1440 + 1 }, (_, minute) => {
    const instant = from + minute * minuteMs;
    const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
    return { at: instant, wall: zoned.toPlainDateTime().toString({ smallestUnit: 'minute' }) };
  });
}

/**
 * Returns the slots by a search through all minutes: those from the first at or after the window's start to before the first at
 * or after its end are open, and all minutes of a slot must be open.
 */
function minuteByMinute(query: Parameters<typeof daySlots>[0], walls: ReturnType<typeof wallOfMinutes>) {
  const first = (minute: number) => {
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    const wall = minute === 1440 ? `${dateText(dayNumber(query.date) + 1)}T00:00` : `${query.date}T${time}`;
    return walls.findIndex((entry) => entry.wall >= wall);
  };
  return query.windows.flatMap(({ start, end }) => {
    const open = walls.slice(first(start), first(end)).map((entry) => entry.at);
    return open
      .filter((_, index) => index % query.slotMinutes === 0 && index + query.durationMinutes <= open.length)
      .filter((slot) => slot >= query.now)
      .map((slot) => {
        const minutes = Array.from({ length: query.durationMinutes }, (_, index) => slot + index * minuteMs);
        // Busy times begin and end on whole minutes.
        const free = minutes.every((minute) => !query.busy.some((busy) => busy.start <= minute && minute < busy.end));
        return { at: slot, free };
      });
  });
}

function oneOf<const Choice>(random: Random, choices: readonly [Choice, ...Choice[]]): Choice {
  return choices[random(choices.length)] ?? choices[0];
}

/** Up to four separate windows, often at midnight and in the early hours in which clocks change. */
function randomWindows(random: Random): Window[] {
  const edges = new Set<number>(random(3) === 0 ? [0] : random(3) === 0 ? [1440] : []);
  while (edges.size < 2 || edges.size % 2 === 1 || (edges.size < 8 && random(2) === 0)) {
    edges.add((random(2) === 0 ? random(50) : random(289)) * 5);
  }
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.flatMap((start, index) => (index % 2 === 0 ? [{ start, end: sorted[index + 1] ?? 1440 }] : []));
}

/** Busy times on whole minutes, sorted by start; they may overlap and may be long. */
function randomBusy(random: Random, from: number, count: number): Busy[] {
  return Array.from({ length: random(count + 1) }, () => {
    const start = from + random(count * 360) * minuteMs;
    return { start, end: start + (5 + random(random(6) === 0 ? 600 : 90)) * minuteMs };
  }).sort((a, b) => a.start - b.start);
}

/** A rule for provider 7 on every day from Monday, 2026-03-09, 09:00 to 10:00, with changes. */
function inForce(changes: Partial<RuleInForce>): RuleInForce {
  return {
    ...ruleOf({ ruleType: 'D', activeStartDate: '2026-03-09' }),
    disabled: false,
    times: [{ startTime: '09:00', endTime: '10:00' }],
    providerIds: [7],
    ...changes,
  };
}

function randomInForce(random: Random, firstStart: string): RuleInForce {
  const time = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return {
    ...randomRule(random, firstStart, 60),
    disabled: random(6) === 0,
    times: Array.from({ length: 1 + random(3) }, () => {
      const start = random(1300);
      return { startTime: time(start), endTime: time(start + 1 + random(1440 - start)) };
    }),
    providerIds: [1, 2, 4, 5].filter(() => random(2) === 0),
  };
}
