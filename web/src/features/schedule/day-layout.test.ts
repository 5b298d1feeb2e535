import 'temporal-polyfill/global';
import type { ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { wallToInstant } from '@roomside/contract/time.ts';
import { describe, expect, test } from 'vitest';
import { type DayScale, dayHours, entryDates, isCondensed, landing, placeDay, slotAt } from './day-layout.ts';

const zone = 'America/New_York';

function entry(appointmentId: number, startDate: string, minutes = 30): ScheduleEntry {
  const endDate = new Date(Date.parse(startDate) + minutes * 60_000).toISOString();
  const rest = { version: 1, patientId: 9, doctorId: 7, patient: "O'Brien, Siobhan", status: 'scheduled' } as const;
  return { appointmentId, startDate, endDate, ...rest, overlaps: false };
}
const day = '2026-03-09';
const at = (time: string, date = day) => wallToInstant(date, time, zone);
const lanes = (placed: ReturnType<typeof placeDay>) =>
  placed.map(({ entry: { appointmentId }, lane, lanes: of }) => [appointmentId, lane, of]);

describe('appointments of a day', () => {
  test('are placed in clinic time', () => {
    expect(placeDay([entry(1, at('09:15'), 45)], day, zone, 15)).toMatchObject([
      { start: 555, end: 600, lane: 0, lanes: 1, from: '9:15 AM', to: '10:00 AM' },
    ]);
  });

  test('share the width only with those they overlap', () => {
    const placed = placeDay(
      [entry(1, at('09:00'), 60), entry(2, at('09:30')), entry(3, at('10:00')), entry(4, at('10:00'))],
      day,
      zone,
      15,
    );
    expect(lanes(placed)).toEqual([
      [1, 0, 2],
      [2, 1, 2],
      [3, 0, 2],
      [4, 1, 2],
    ]);
  });

  test('reuse a free lane', () => {
    const placed = placeDay([entry(1, at('09:00'), 120), entry(2, at('09:00')), entry(3, at('09:30'))], day, zone, 15);
    expect(lanes(placed)).toEqual([
      [1, 0, 2],
      [2, 1, 2],
      [3, 1, 2],
    ]);
  });

  test('appointments shorter than the smallest box: do not cover the next one', () => {
    expect(lanes(placeDay([entry(1, at('09:00'), 5), entry(2, at('09:05'))], day, zone, 15))).toEqual([
      [1, 0, 2],
      [2, 1, 2],
    ]);
  });

  test('appointments in a repeated hour: are side by side, each with its zone', () => {
    const placed = placeDay(
      [entry(1, '2026-11-01T05:30:00Z'), entry(2, '2026-11-01T06:30:00Z')],
      '2026-11-01',
      zone,
      15,
    );
    expect(lanes(placed)).toEqual([
      [1, 0, 2],
      [2, 1, 2],
    ]);
    expect(placed.map(({ start, from }) => [start, from])).toEqual([
      [90, '1:30 AM EDT'],
      [90, '1:30 AM EST'],
    ]);
  });

  test('appointments over a skipped hour: are as high as they are long', () => {
    const [box] = placeDay([entry(1, '2026-03-08T06:45:00Z', 30)], '2026-03-08', zone, 15);
    expect(box).toMatchObject({ start: 105, end: 135, from: '1:45 AM EST', to: '3:15 AM EDT' });
  });

  test('end with the day', () => {
    expect(placeDay([entry(1, at('23:30'), 120)], day, zone, 15)).toMatchObject([
      { start: 1410, end: 1440, isContinued: false },
    ]);
  });

  test('appointments past midnight: continue at the top of the next day', () => {
    const late = entry(1, at('23:30'), 120);
    expect(entryDates(late, zone)).toEqual([day, '2026-03-10']);
    expect(placeDay([late, entry(2, at('01:00', '2026-03-10'))], '2026-03-10', zone, 15)).toMatchObject([
      { start: 0, end: 90, lane: 0, lanes: 2, from: '11:30 PM', to: '1:30 AM', isContinued: true },
      { start: 60, end: 90, lane: 1, lanes: 2, isContinued: false },
    ]);
    // An end at midnight is not past midnight.
    expect(entryDates(entry(3, at('23:30')), zone)).toEqual([day]);
  });
});

describe('the shown hours', () => {
  const company = { startHour: 8, endHour: 17 };

  test.each([
    ['are the company’s', [{ start: 540, end: 600 }], { start: 480, end: 1020 }],
    [
      'widen by whole hours',
      [
        { start: 435, end: 445 },
        { start: 1000, end: 1021 },
      ],
      { start: 420, end: 1080 },
    ],
    ['end with the day', [{ start: 1410, end: 1440 }], { start: 480, end: 1440 }],
  ])('%s', (_, stretches, expected) => {
    expect(dayHours(company, stretches)).toEqual(expected);
  });
});

test('columns: five are condensed, four are not', () => {
  expect([4, 5, 12].map(isCondensed)).toEqual([false, true, true]);
});

describe('a place on the grid', () => {
  const scale: DayScale = { start: 480, end: 1020, slot: 15, row: 26, columns: 3 };

  test('is the slot below the pointer', () => {
    expect([0, 25, 26, 10_000].map((y) => slotAt(scale, y))).toEqual([480, 480, 495, 1019]);
  });

  test.each([
    ['stays', 550, 0, 550],
    ['goes up to the slot before', 550, -1, 540],
    ['goes down to the next slot', 550, 1, 555],
    ['goes on in slots', 555, 4, 615],
    ['stops at the first', 495, -9, 480],
    ['stops where it still fits', 960, 9, 990],
  ])('place of a move: %s', (_, from, rows, expected) => {
    expect(landing(scale, from, 30, rows)).toBe(expected);
  });
});
