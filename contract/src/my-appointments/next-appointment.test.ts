import { expect, test } from 'vitest';
import type { Status } from '../appointments/status.ts';
import { nextAppointment } from './next-appointment.ts';

const now = '2026-03-02T15:00:00Z';
const at = (minutes: number) => new Date(Date.parse(now) + minutes * 60_000).toISOString();
const visit = (name: string, minutes: number, status: Status, closed = false, left?: number) => ({
  name,
  startDate: at(minutes),
  endDate: at(minutes + 15),
  status,
  closed,
  leftAt: left === undefined ? null : at(left),
});

test.each([
  [
    'the one in 20 minutes, not the one on Monday',
    [visit('monday', 5000, 'scheduled'), visit('today', 20, 'scheduled')],
    'today',
  ],
  ['the one that is late but not missed', [visit('late', -30, 'scheduled'), visit('next', 40, 'scheduled')], 'late'],
  [
    'the one just left, before one on another day',
    [visit('left', -30, 'completed'), visit('monday', 5000, 'scheduled')],
    'left',
  ],
  [
    'the one whose room is open, before one left a while ago',
    [visit('left', -50, 'completed', false, -11), visit('next', 20, 'scheduled')],
    'next',
  ],
  [
    'the one just left, before an earlier one whose room is open too',
    [visit('earlier', -5, 'scheduled'), visit('left', 0, 'completed', false, -9)],
    'left',
  ],
  [
    'the one left last, of two',
    [visit('first', -20, 'completed', false, -8), visit('second', 0, 'scheduled', false, -1)],
    'second',
  ],
  [
    'the next one, when the one just left was ended',
    [visit('ended', -10, 'completed', true, -1), visit('next', 20, 'scheduled')],
    'next',
  ],
  [
    'the earliest upcoming one, when the last one was ended',
    [visit('ended', -10, 'completed', true), visit('monday', 5000, 'scheduled')],
    'monday',
  ],
  ['undefined, when all are over', [visit('gone', -3000, 'missed'), visit('cancelled', 20, 'cancelled')], undefined],
] as const)('nextAppointment: returns %s', (_, appointments, expected) => {
  expect(nextAppointment(appointments, now)?.name).toBe(expected);
});
