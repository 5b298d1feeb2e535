import 'temporal-polyfill/global';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  dateOf,
  formatDate,
  formatDateTime,
  formatDayLink,
  formatLongDate,
  formatTime,
  timeOf,
  wallToInstant,
  zoneLabel,
} from './time.ts';

describe('wall time to instant', () => {
  test.each([
    ['an ordinary day', '2026-11-21', '09:30', 'America/New_York', '2026-11-21T14:30:00Z'],
    ['a gap: the later one', '2026-03-08', '02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
    ['a repeated hour: the first', '2026-11-01', '01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
    ['half an hour of summer time', '2026-04-05', '01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z'],
    ['a quarter of an hour', '2026-01-01', '00:00', 'Asia/Kathmandu', '2025-12-31T18:15:00Z'],
  ])('%s', (_, date, time, zone, instant) => {
    expect(wallToInstant(date, time, zone)).toBe(instant);
  });

  test('instant to wall time: gives the date and time in the zone', () => {
    expect(dateOf('2025-12-31T18:15:00Z', 'Asia/Kathmandu')).toBe('2026-01-01');
    expect(timeOf('2026-11-21T14:30:00Z', 'America/New_York')).toBe('09:30');
  });
});

test('addDays: crosses months and years', () => {
  expect([addDays('2026-12-31', 1), addDays('2024-03-01', -1)]).toEqual(['2027-01-01', '2024-02-29']);
});

test('dates and times as text: name the zone only where it differs', () => {
  expect(formatDate('2026-01-05')).toBe('01/05/2026');
  expect(formatDayLink('2026-01-05')).toBe('1/5/2026');
  expect(formatLongDate('2026-11-21')).toBe('Saturday, November 21, 2026');
  expect(formatTime('2026-11-21T14:30:00Z', 'America/New_York')).toBe('9:30 AM');
  expect(formatTime('2026-11-21T14:30:00Z', 'America/New_York', 'America/Chicago')).toBe('9:30 AM EST');
  expect(formatTime('2026-11-21T14:30:00Z', 'America/New_York', 'America/Toronto')).toBe('9:30 AM');
  expect(formatDateTime('2026-11-21T14:30:00Z', 'America/New_York')).toBe('11/21/2026, 9:30 AM');
});

test.each([
  ['America/New_York', 'Eastern Time'],
  ['Europe/Zurich', 'Central European Time'],
  ['Etc/UTC', 'Coordinated Universal Time'],
])('the name of the time zone %s: is %s', (zone, label) => {
  expect(zoneLabel(zone)).toBe(label);
});
