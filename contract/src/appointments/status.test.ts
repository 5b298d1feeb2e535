import { expect, test } from 'vitest';
import { mayDelete } from './may-delete.ts';
import { durationText, type Status, type StatusFacts, statusOf, statusTooltip } from './status.ts';

const start = '2026-03-01T10:00:00.000Z';
const at = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString();
const facts = (over: Partial<StatusFacts> = {}): StatusFacts => ({
  startDate: start,
  cancelled: false,
  cancelledAt: null,
  patientPresent: null,
  providerPresent: null,
  firstArrivedAt: null,
  duration: 0,
  endedAt: null,
  providerCame: false,
  waitedSeconds: 0,
  completedElsewhere: false,
  ...over,
});

const table: [name: string, over: Partial<StatusFacts>, minutes: number, Status][] = [
  ['no activity', {}, -30, 'scheduled'],
  ['late by less than an hour', {}, 59, 'scheduled'],
  ['one hour past the start without a visit', {}, 60, 'missed'],
  ['the patient is in the room', { patientPresent: at(-2) }, 0, 'waiting'],
  ['the patient is in the room, long after the start', { patientPresent: at(0) }, 200, 'waiting'],
  ['both are in the room', { patientPresent: at(0), providerPresent: at(1) }, 2, 'inProgress'],
  [
    'both are in the room after the first minute',
    { patientPresent: at(0), providerPresent: at(1), duration: 90 },
    3,
    'inProgress',
  ],
  ['both met for a minute and left', { duration: 60, providerCame: true, firstArrivedAt: at(0) }, 30, 'completed'],
  [
    'both met for less than a minute and left',
    { duration: 59, providerCame: true, firstArrivedAt: at(0) },
    30,
    'scheduled',
  ],
  ['staff ended the visit after both met', { duration: 20, endedAt: at(1), providerCame: true }, 30, 'completed'],
  ['staff stay in the room after a visit', { duration: 300, providerPresent: at(1) }, 30, 'completed'],
  ['imported after it was held', { completedElsewhere: true }, 90, 'completed'],
  ['imported after it was held, then cancelled', { completedElsewhere: true, cancelled: true }, 90, 'cancelled'],
  ['cancelled after a visit', { cancelled: true, cancelledAt: at(-60), duration: 90 }, 30, 'cancelled'],
];

test.each(table)('status: %s @STATE-1', (_, over, minutes, expected) => {
  expect(statusOf(facts(over), at(minutes))).toBe(expected);
});

test('statusTooltip: returns the time, and for a missed appointment who came and how long they waited @LIST-12', () => {
  const clock = (instant: string) => instant.slice(11, 16);
  expect(statusTooltip(facts({ firstArrivedAt: at(1), waitedSeconds: 125 }), at(90), clock)).toBe(
    'Missed: the patient arrived 10:01 and waited 2m 5s',
  );
  expect(statusTooltip(facts({ providerCame: true }), at(90), clock)).toBe('Missed: only the provider joined');
  expect(statusTooltip(facts({ providerCame: true, firstArrivedAt: at(0) }), at(90), clock)).toBe(
    'Missed: both joined, but not at the same time',
  );
  expect(statusTooltip(facts(), at(90), clock)).toBe('Missed: no one joined');
  expect(statusTooltip(facts({ patientPresent: at(2) }), at(4), clock)).toBe('Waiting since 10:02');
  expect(statusTooltip(facts({ completedElsewhere: true }), at(90), clock)).toBe(
    'Completed in the system you used before',
  );
  expect(statusTooltip(facts({ patientPresent: at(2), providerPresent: at(3) }), at(4), clock)).toBe(
    'In progress since 10:03',
  );
  expect(statusTooltip(facts({ cancelled: true, cancelledAt: at(-5) }), at(4), clock)).toBe('Cancelled 09:55');
});

test.each([
  [0, ''],
  [45, '45s'],
  [60, '1m 0s'],
  [125, '2m 5s'],
  [3600, '1h 0m 0s'],
  [3725, '1h 2m 5s'],
])('durationText: %i s reads %j @LIST-13', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test('mayDelete: only when nothing was collected and there is no duration @LIST-20 @VALID-32', () => {
  expect(mayDelete({ collected: '0.00', duration: 0 })).toBe(true);
  expect(mayDelete({ collected: '0.01', duration: 0 })).toBe(false);
  expect(mayDelete({ collected: '0.00', duration: 1 })).toBe(false);
  expect(mayDelete({ collected: '0.00', duration: 0, hasRecords: true })).toBe(false);
});
