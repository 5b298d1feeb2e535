import pg from 'pg';
import { expect, test } from 'vitest';
import { types } from './driver.ts';

const isoOf = types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

test('instants: are read as ISO with milliseconds, for every number of decimals', () => {
  expect(isoOf('2026-03-01 09:30:00+00')).toBe('2026-03-01T09:30:00.000Z');
  expect(isoOf('2026-03-01 09:30:00.5+00')).toBe('2026-03-01T09:30:00.500Z');
  expect(isoOf('2026-03-01 09:30:00.123999+00')).toBe('2026-03-01T09:30:00.123Z');
  for (let n = 0; n < 1000; n += 1) {
    const instant = new Date(n * 7_919_000_123).toISOString();
    const decimals = String((n * 7919) % 1_000_000).padStart(6, '0');
    const text = `${instant.slice(0, 10)} ${instant.slice(11, 19)}.${decimals.slice(0, 1 + (n % 6))}+00`;
    expect(isoOf(text)).toBe(new Date(text).toISOString());
  }
});

test('instants in another zone or with a longer year: are read, too, and none is not', () => {
  expect(isoOf('2026-03-01 09:30:00+05:30')).toBe('2026-03-01T04:00:00.000Z');
  expect(isoOf('10000-01-01 00:00:00+00')).toBe(new Date('10000-01-01 00:00:00+00').toISOString());
  expect(() => isoOf('infinity')).toThrow(RangeError);
});
