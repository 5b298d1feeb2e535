import { expect, test } from 'vitest';
import { dayBounds, instantToWall, isTimeZone, wallToInstant } from './time.ts';

test('wallToInstant: the later instant in a gap, the first one in a repeated hour @APPT-1', () => {
  expect(wallToInstant('2026-03-08', '02:30', 'America/New_York')).toBe('2026-03-08T07:30:00.000Z');
  expect(instantToWall('2026-03-08T07:30:00.000Z', 'America/New_York').time).toBe('03:30');
  expect(wallToInstant('2026-11-01', '01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
  expect(wallToInstant('2026-04-05', '01:45', 'Australia/Lord_Howe')).toBe('2026-04-04T14:45:00.000Z');
});

test('dayBounds: 23 to 25 hours on days with clock changes', () => {
  const hours = (day: string, zone: string) => {
    const { from, to } = dayBounds(day, zone);
    return (Date.parse(to) - Date.parse(from)) / 3_600_000;
  };
  expect(hours('2026-03-08', 'America/New_York')).toBe(23);
  expect(hours('2026-11-01', 'America/New_York')).toBe(25);
  expect(hours('2026-04-05', 'Australia/Lord_Howe')).toBe(24.5);
  expect(hours('2026-06-01', 'Asia/Kathmandu')).toBe(24);
  expect(dayBounds('2026-06-01', 'Asia/Kathmandu').from).toBe('2026-05-31T18:15:00.000Z');
});

test('isTimeZone: true for IANA names only', () => {
  expect(isTimeZone('Pacific/Apia')).toBe(true);
  expect(isTimeZone('Etc/GMT+5')).toBe(true);
  for (const zone of ['Mars/Olympus', '+05:30', '-0800', '+01', 'UTC+5', '']) expect(isTimeZone(zone)).toBe(false);
});
