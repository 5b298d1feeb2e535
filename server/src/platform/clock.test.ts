import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { movableClock, systemClock } from './clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2031-03-03T13:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ['systemClock', () => systemClock],
  ['movableClock', movableClock],
])('%s', (_name, createAny) => {
  test('after: runs work once, unless it was cancelled', () => {
    const clock = createAny();
    const ran: string[] = [];
    clock.after(500, () => ran.push('kept'));
    clock.after(500, () => ran.push('cancelled'))();
    vi.advanceTimersByTime(499);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(ran).toEqual(['kept']);
  });

  test('every: repeats work until it is stopped', () => {
    const clock = createAny();
    let runs = 0;
    const stop = clock.every(500, () => {
      runs += 1;
    });
    vi.advanceTimersByTime(1_700);
    expect(runs).toBe(3);
    stop();
    vi.advanceTimersByTime(1_700);
    expect(runs).toBe(3);
  });
});

describe('movableClock', () => {
  /** A clock with work of `after` at these times. `ran` has the milliseconds of those that ran. */
  const createClock = (...times: number[]) => {
    const clock = movableClock();
    const ran: number[] = [];
    for (const ms of times) clock.after(ms, () => ran.push(ms));
    return { clock, ran };
  };

  test('set forward: runs due work once, in the order of time, before repeated work', () => {
    const { clock, ran } = createClock(3_000, 1_000, 9_000);
    clock.every(60_000, () => ran.push(0));
    clock.set(clock.now() + 5_000);
    expect(ran).toEqual([1_000, 3_000, 0]);
    vi.advanceTimersByTime(3_999);
    expect(ran).toEqual([1_000, 3_000, 0]);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual([1_000, 3_000, 0, 9_000]);
  });

  test('set back: does not change the waits', () => {
    const { clock, ran } = createClock(1_000);
    clock.set(clock.now() - 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(ran).toEqual([1_000]);
    clock.after(2_000, () => ran.push(2_000));
    clock.set(clock.now() + 2_000);
    expect(ran).toEqual([1_000, 2_000]);
  });

  test('freeze: stops the time until it is set, while timers run', () => {
    const { clock, ran } = createClock(1_000);
    clock.freeze();
    const start = clock.now();
    vi.advanceTimersByTime(5_000);
    expect([clock.now() - start, ran]).toEqual([0, [1_000]]);
    clock.set(start + 700);
    vi.advanceTimersByTime(5_000);
    expect(clock.now() - start).toBe(700);
  });

  test('set forward: does not run work that earlier work has cancelled', () => {
    const { clock, ran } = createClock();
    const cancel: { later?: () => void } = {};
    clock.after(1_000, () => cancel.later?.());
    cancel.later = clock.after(2_000, () => ran.push(2_000));
    clock.set(clock.now() + 5_000);
    vi.advanceTimersByTime(5_000);
    expect(ran).toEqual([]);
  });
});
