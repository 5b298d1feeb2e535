import { expect, test } from 'vitest';
import { type Attendance, visitTime } from './visit-time.ts';

const s = 1000;
const attendance = (side: Attendance['side'], from: number, to: number | null): Attendance => ({
  side,
  from: from * s,
  to: to === null ? null : to * s,
});

test.each<[name: string, attendances: Attendance[], now: number, duration: number, waited: number]>([
  ['no peer', [], 100, 0, 0],
  ['patient only', [attendance('patient', 0, 50)], 100, 0, 50],
  ['staff only', [attendance('staff', 0, 50)], 100, 0, 0],
  ['both sides, not at the same time', [attendance('patient', 0, 10), attendance('staff', 60, 90)], 100, 0, 10],
  ['both sides, overlapping', [attendance('patient', 0, 100), attendance('staff', 40, 80)], 200, 40, 60],
  ['both sides still present', [attendance('patient', 0, null), attendance('staff', 10, null)], 70, 60, 10],
  [
    'a gap of 5 s counts as present',
    [attendance('patient', 0, 50), attendance('patient', 55, 100), attendance('staff', 0, 100)],
    200,
    100,
    0,
  ],
  [
    'a gap of 30 s counts as present',
    [attendance('patient', 0, 50), attendance('patient', 80, 100), attendance('staff', 0, 100)],
    200,
    100,
    0,
  ],
  [
    'a gap of 31 s does not count',
    [attendance('patient', 0, 50), attendance('patient', 81, 100), attendance('staff', 0, 100)],
    200,
    69,
    0,
  ],
  [
    'two members of staff count once',
    [attendance('patient', 0, 100), attendance('staff', 0, 60), attendance('staff', 30, 100)],
    200,
    100,
    0,
  ],
])('visitTime: %s', (_, attendances, now, duration, waited) => {
  expect(visitTime(attendances, now * s)).toEqual({ duration, waited });
});
