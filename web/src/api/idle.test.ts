import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdIdle, noteInput, takeActivity, watchIdle } from './idle.ts';

const minute = 60_000;
let stop: () => void = () => undefined;

function watch() {
  const onIdle = vi.fn();
  const onWarning = vi.fn();
  stop = watchIdle({ afterMs: 30 * minute, onIdle, onWarning });
  return { onIdle, onWarning };
}

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test('no input: warns a minute before the end, counts down, and ends', () => {
  const { onIdle, onWarning } = watch();
  vi.advanceTimersByTime(29 * minute - 1_000);
  expect(onWarning).not.toHaveBeenCalled();
  vi.advanceTimersByTime(31_000);
  expect(onWarning).toHaveBeenLastCalledWith(30);
  vi.advanceTimersByTime(minute);
  expect(onIdle).toHaveBeenCalledOnce();
});

test('input: restarts the time and closes the warning', () => {
  const { onIdle, onWarning } = watch();
  vi.advanceTimersByTime(29.5 * minute);
  dispatchEvent(new Event('keydown'));
  vi.advanceTimersByTime(2_000);
  expect(onWarning).toHaveBeenLastCalledWith(undefined);
  vi.advanceTimersByTime(29 * minute - 5_000);
  expect(onIdle).not.toHaveBeenCalled();
});

test('input in another tab: restarts the time', () => {
  const { onIdle } = watch();
  vi.advanceTimersByTime(20 * minute);
  localStorage.setItem('idle:last-input', String(Date.now()));
  vi.advanceTimersByTime(20 * minute);
  expect(onIdle).not.toHaveBeenCalled();
});

test('visit: pauses the time', () => {
  const { onIdle } = watch();
  const release = holdIdle();
  vi.advanceTimersByTime(90 * minute);
  expect(onIdle).not.toHaveBeenCalled();
  expect(takeActivity()).toBe(true);
  release();
  vi.advanceTimersByTime(31 * minute);
  expect(onIdle).toHaveBeenCalledOnce();
});

test('token renewal: reports whether there was input since the last one', () => {
  noteInput();
  expect([takeActivity(), takeActivity()]).toEqual([true, false]);
});
