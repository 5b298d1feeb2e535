import 'temporal-polyfill/global';
import type { ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { describe, expect, test } from 'vitest';
import { addMonths, isSameDay, monthModel, monthRange, monthWeeks } from './month.ts';
import { calendarProviders } from './providers.ts';

describe('the weeks of a month', () => {
  test.each([
    ['2026-02-17', 4, '2026-02-01', '2026-02-28'],
    ['2026-11-21', 5, '2026-11-01', '2026-12-05'],
    ['2026-08-31', 6, '2026-07-26', '2026-09-05'],
  ])('%s are %i, from a Sunday to a Saturday', (date, rows, from, to) => {
    const weeks = monthWeeks(date);
    expect(weeks).toHaveLength(rows);
    expect(weeks.every((week) => week.length === 7)).toBe(true);
    expect(new Set(weeks.flat()).size).toBe(rows * 7);
    expect(monthRange(date)).toEqual({ from, to });
    expect(new Date(from).getUTCDay()).toBe(0);
  });

  test('the month after a long one: ends earlier', () => {
    expect([addMonths('2026-01-31', 1), addMonths('2026-03-31', -1), addMonths('2026-12-15', 1)]).toEqual([
      '2026-02-28',
      '2026-02-28',
      '2027-01-15',
    ]);
  });
});

describe('a day of the month', () => {
  const entry = (appointmentId: number, doctorId: number, startDate: string): ScheduleEntry => ({
    appointmentId,
    doctorId,
    startDate,
    endDate: startDate,
    version: 1,
    patientId: 1,
    patient: 'Li, Wei',
    status: 'scheduled',
    overlaps: false,
  });
  const data = [entry(1, 7, '2026-11-03T04:30:00Z'), entry(2, 8, '2026-11-03T15:00:00Z')];
  const open = [{ date: '2026-11-03', doctorId: 8, start: 540, end: 600 }];
  const timeOff = [
    { timeOffId: 1, userId: 7, firstDay: '2026-11-02', lastDay: '2026-11-03', reason: '' },
    { timeOffId: 2, userId: null, firstDay: '2026-11-03', lastDay: '2026-11-03', reason: 'Election' },
  ];
  const dates = ['2026-11-02', '2026-11-03'];
  const model = (shown: number[]) =>
    monthModel({ data, open, timeOff, busy: [] }, (id) => shown.includes(id), dates, 'America/New_York');

  test('is in clinic time, and shows the selected providers', () => {
    const all = model([7, 8]);
    const seen = (date: string, of = all) => of.get(date)?.lines.map((line) => [line.entry.appointmentId, line.minute]);
    expect(seen('2026-11-02')).toEqual([[1, 1410]]);
    expect(seen('2026-11-03')).toEqual([[2, 600]]);
    expect(all.get('2026-11-02')?.isOpen).toBe(false);
    expect(all.get('2026-11-03')).toMatchObject({ isOpen: true, off: timeOff });
    const one = model([7]);
    expect(seen('2026-11-03', one)).toEqual([]);
    expect(one.get('2026-11-03')?.isOpen).toBe(false);
    expect(model([8]).get('2026-11-02')?.off).toEqual([]);
  });

  test('starts with what continues from the day before', () => {
    const late = { ...entry(1, 7, '2026-11-03T04:30:00Z'), endDate: '2026-11-03T05:30:00Z' };
    const both = monthModel(
      { data: [late, entry(2, 7, '2026-11-03T15:00:00Z')], open, timeOff, busy: [] },
      () => true,
      dates,
      'America/New_York',
    );
    const seen = dates.map((date) => both.get(date)?.lines.map((line) => [line.entry.appointmentId, line.minute]));
    expect(seen).toEqual([
      [[1, 1410]],
      [
        [1, 0],
        [2, 600],
      ],
    ]);
  });

  test('names the shown providers who are busy for the whole day in clinic time, also on days of 23 and 25 hours', () => {
    const busyOn = (date: string, from: string, to: string, shown = [7]) => {
      const busy = [{ doctorId: 7, startDate: from, endDate: to }];
      return monthModel({ data: [], open, timeOff, busy }, (id) => shown.includes(id), [date], 'America/New_York').get(
        date,
      )?.busy;
    };
    expect(busyOn('2026-11-02', '2026-11-02T05:00:00Z', '2026-11-03T05:00:00Z')).toEqual([7]);
    expect(busyOn('2026-11-02', '2026-10-30T12:00:00Z', '2026-11-20T12:00:00Z')).toEqual([7]);
    expect(busyOn('2026-11-02', '2026-11-02T05:00:00Z', '2026-11-03T05:00:00Z', [8])).toEqual([]);
    expect(busyOn('2026-11-02', '2026-11-02T06:00:00Z', '2026-11-03T06:00:00Z')).toEqual([]);
    // The clocks go forward on March 8 and back on November 1.
    expect(busyOn('2026-03-08', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z')).toEqual([7]);
    expect(busyOn('2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T04:00:00Z')).toEqual([]);
    expect(busyOn('2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z')).toEqual([7]);
  });

  test('is not redrawn when nothing changed', () => {
    const [before, after] = [model([7, 8]), model([7])];
    expect(isSameDay(before.get('2026-11-02'), after.get('2026-11-02'))).toBe(true);
    expect(isSameDay(before.get('2026-11-03'), after.get('2026-11-03'))).toBe(false);
    expect(isSameDay(undefined, after.get('2026-11-03'))).toBe(false);
  });

  test('shows users who are no longer providers', () => {
    const physicians = [{ userId: 8, firstName: 'Maya', lastName: 'Reyes' }];
    expect(calendarProviders(physicians, data)).toMatchObject([
      { userId: 8, name: 'Maya Reyes', initials: 'MR', isFormer: false },
      { userId: 7, isFormer: true },
    ]);
  });
});
