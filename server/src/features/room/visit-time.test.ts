import { expect, test } from 'vitest';
import { type Attendance, visitTime } from './visit-time.ts';

const s = 1000;
const stay = (side: Attendance['side'], from: number, to: number | null): Attendance => ({
  side,
  from: from * s,
  to: to === null ? null : to * s,
});

test.each<[name: string, stays: Attendance[], now: number, duration: number, waited: number]>([
  ['nobody came', [], 100, 0, 0],
  ['only the patient', [stay('patient', 0, 50)], 100, 0, 50],
  ['only staff', [stay('staff', 0, 50)], 100, 0, 0],
  ['both, one after the other', [stay('patient', 0, 10), stay('staff', 60, 90)], 100, 0, 10],
  ['both, overlapping', [stay('patient', 0, 100), stay('staff', 40, 80)], 200, 40, 60],
  ['still going on', [stay('patient', 0, null), stay('staff', 10, null)], 70, 60, 10],
  [
    'a reload of 5 s is bridged',
    [stay('patient', 0, 50), stay('patient', 55, 100), stay('staff', 0, 100)],
    200,
    100,
    0,
  ],
  ['30 s are bridged', [stay('patient', 0, 50), stay('patient', 80, 100), stay('staff', 0, 100)], 200, 100, 0],
  ['31 s are not', [stay('patient', 0, 50), stay('patient', 81, 100), stay('staff', 0, 100)], 200, 69, 0],
  ['two of the staff count once', [stay('patient', 0, 100), stay('staff', 0, 60), stay('staff', 30, 100)], 200, 100, 0],
])('%s', (_, stays, now, duration, waited) => {
  expect(visitTime(stays, now * s)).toEqual({ duration, waited });
});
