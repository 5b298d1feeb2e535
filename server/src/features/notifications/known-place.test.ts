import { describe, expect, test } from 'vitest';
import {
  expectsOther,
  isAware,
  isCancelledAgain,
  isOverAt,
  isSuperseded,
  type Known,
  knownFrom,
  lastNamed,
  type PatientMessage,
  placeKnown,
  placeNotified,
} from './known-place.ts';

/** Instants of one day. */
const at = (hour: number) => `2031-03-03T${String(hour).padStart(2, '0')}:00:00.000Z`;
const place = (hour: number, doctorId = 7) => ({ startsAt: at(hour), doctorId });

/** A message by staff of that hour by mail, which was sent and named the start `names`. */
function message(
  kind: PatientMessage['kind'],
  hour: number,
  names: number | null,
  more: Partial<PatientMessage> = {},
): PatientMessage {
  return {
    notification_id: hour,
    kind,
    method: 'email',
    due_at: at(hour),
    state: 'sent',
    claimed_until: null,
    held_until: null,
    by_user_id: 3,
    named_at: names === null ? null : at(hour),
    named_starts_at: names === null ? null : at(names),
    named_doctor_id: names === null ? null : 7,
    ...more,
  };
}
const queued = { state: 'queued' };
const invited = message('invitation', 8, 15);
const known = (of: Known['place'], ...possible: Known['possible']): Known => ({ place: of, possible });

test.each<[name: string, messages: PatientMessage[], known: Known]>([
  ['no message: nothing', [], known(null)],
  ['an invitation that was sent', [invited], known(place(15))],
  ['an invitation that waits: nothing', [message('invitation', 8, null, queued)], known(null)],
  ['a new time that waits: the former place', [message('newTime', 9, null, queued), invited], known(place(15))],
  ['a new time that was sent', [message('newTime', 9, 16), invited], known(place(16))],
  [
    'a new time that is being sent, or whose outcome is unknown: possibly it, too',
    [message('newTime', 9, 16, queued), invited],
    known(place(15), place(16)),
  ],
  [
    'two of unknown outcome, and one that was sent after them: the last one',
    [
      message('newTime', 11, 18),
      message('newTime', 10, 17, queued),
      message('newTime', 9, 16, { state: 'failed' }),
      invited,
    ],
    known(place(18)),
  ],
  [
    'an earlier message that was sent later: what was read last',
    [message('newTime', 9, 17, { named_at: at(12) }), message('reminder', 10, 16), invited],
    known(place(17)),
  ],
  ['a cancellation that was sent: nothing', [message('cancelled', 9, 15), invited], known(null)],
  [
    'a cancellation that is being sent: possibly nothing',
    [message('cancelled', 9, 15, queued), invited],
    known(place(15), null),
  ],
  [
    'an invitation after a cancellation',
    [message('invitation', 10, 17), message('cancelled', 9, 15), invited],
    known(place(17)),
  ],
  [
    'a move by the patient, whatever became of its message',
    [message('newTime', 9, 16, { by_user_id: null, state: 'dropped' }), invited],
    known(place(16)),
  ],
  [
    'a booking by the patient, whose confirmation waits',
    [message('invitation', 8, 15, { by_user_id: null, ...queued })],
    known(place(15)),
  ],
  [
    'a cancellation by the patient',
    [message('cancelled', 9, 15, { by_user_id: null, ...queued }), invited],
    known(null),
  ],
])('knownFrom: %s', (_, messages, expected) => {
  expect(knownFrom(messages)).toEqual(expected);
  expect(knownFrom(messages.toReversed())).toEqual(expected);
});

test('questions about what is known: count what may have arrived', () => {
  const rows = [
    { of: known(null), aware: false, other: false, from: null },
    { of: known(place(15)), aware: true, other: false, from: place(15) },
    { of: known(place(16)), aware: true, other: true, from: place(16) },
    { of: known(place(15, 8)), aware: true, other: true, from: place(15, 8) },
    { of: known(place(15), place(16)), aware: true, other: true, from: place(15) },
    { of: known(place(15), null), aware: true, other: false, from: place(15) },
    { of: known(null, place(16), place(17)), aware: true, other: true, from: place(17) },
  ];
  for (const { of, aware, other, from } of rows) {
    expect([isAware(of), expectsOther(of, place(15)), placeKnown(of)]).toEqual([aware, other, from]);
  }
});

test('placeKnown: is a possible one when the certain one is over', () => {
  const isOver = isOverAt({ startsAt: at(15), endsAt: at(16) }, at(12));
  expect(placeKnown(known(place(11), place(15), place(17), null), isOver)).toEqual(place(17));
  expect(placeKnown(known(place(11), place(10)), isOver)).toEqual(place(11));
  expect(placeKnown(known(place(12), place(17)), isOver)).toEqual(place(12));
});

test('placeNotified: counts a message on its way', () => {
  const now = at(7);
  const current = { ...place(15), endsAt: at(16) };
  const of = (...messages: PatientMessage[]) => placeNotified(messages, current, now);
  expect(of()).toBeNull();
  expect(of(message('invitation', 8, null, queued))).toEqual(current);
  expect(of(message('receipt', 8, null, queued))).toBeNull();
  expect(of(message('receipt', 9, null, queued), message('cancelled', 8, 14))).toBeNull();
  expect(of(message('refunded', 9, null, queued))).toBeNull();
  expect(of(message('cancelled', 9, null, queued), message('invitation', 8, null, queued))).toBeNull();
  expect(of(message('newTime', 9, null, queued), message('invitation', 8, 14))).toEqual(place(14));
});

test('lastNamed: is the place of the last message that was sent, also of a cancellation', () => {
  expect(lastNamed([])).toBeUndefined();
  expect(lastNamed([message('cancelled', 9, 15), message('newTime', 8, 14)])).toEqual(place(15));
  // Restored at another time, and invited again.
  expect(lastNamed([message('invitation', 10, 17), message('cancelled', 9, 15)])).toEqual(place(17));
  expect(lastNamed([message('newTime', 10, 17, queued), invited])).toEqual(place(15));
  expect(lastNamed([message('newTime', 10, 17, queued)])).toEqual(place(17));
});

describe('isCancelledAgain', () => {
  const row = message('cancelled', 8, null, queued);
  test.each<[name: string, later: PatientMessage, is: boolean]>([
    ['one that waits', message('cancelled', 9, null, queued), true],
    ['one that was sent', message('cancelled', 9, 16), true],
    ['one that failed', message('cancelled', 9, null, { state: 'failed' }), false],
    ['a text message', message('cancelled', 9, 16, { method: 'text' }), false],
    ['another kind', message('newTime', 9, 16), false],
    ['an earlier one', message('cancelled', 7, 16), false],
  ])('%s: %s', (_, later, is) => {
    expect(isCancelledAgain([later, row], row)).toBe(is);
  });
});

describe('isSuperseded', () => {
  const row = message('invitation', 8, null, queued);
  const newTime = message('newTime', 9, null, queued);
  test.each<[name: string, others: PatientMessage[], is: boolean]>([
    ['another invitation', [message('invitation', 9, null, queued)], true],
    ['a cancellation', [message('cancelled', 9, null, queued)], true],
    ['a new time to a patient who knows nothing', [newTime], false],
    ['a new time to a patient who knows another start', [newTime, message('reminder', 7, 16)], true],
    ['a new time to a patient who knows this start', [newTime, message('reminder', 7, 15)], false],
    ['a new time that was sent', [message('newTime', 9, 15)], true],
    ['a new time that is held', [{ ...newTime, held_until: at(10) }, message('reminder', 7, 16)], false],
    ['a reminder', [message('reminder', 9, 15)], false],
  ])('%s: %s', (_, others, is) => {
    expect(isSuperseded([...others, row], row, place(15))).toBe(is);
  });

  test('a new time by text message, after one by mail that was sent, a move and a move back: is sent', () => {
    const byMail = message('newTime', 8, 15);
    const byText = message('newTime', 8, null, { ...queued, method: 'text' });
    const back = [newTime, { ...newTime, method: 'text' }];
    expect(isSuperseded([...back, byText, byMail, invited], byText, place(15))).toBe(false);
  });

  test('a new time of a visit that the patient booked, whose confirmation waits', () => {
    const booked = message('invitation', 8, 16, { ...queued, by_user_id: null });
    expect(isSuperseded([newTime, booked], booked, place(15))).toBe(true);
  });
});
