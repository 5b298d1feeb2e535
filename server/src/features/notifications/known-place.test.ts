import { expect, test } from 'vitest';
import { dependsOnDelivery, knownBefore, knownPlace, knownWhenCancelled, type PatientMessage } from './known-place.ts';

/** Instants of one day. */
const at = (hour: number) => `2031-03-03T${String(hour).padStart(2, '0')}:00:00.000Z`;
const place = (hour: number, doctorId = 7) => ({ startsAt: at(hour), doctorId });
const now = at(12);
const current = place(18);

/** A message by staff of that hour, before which the patient knew the start `known`; it was sent at `sent`. */
function message(
  kind: PatientMessage['kind'],
  hour: number,
  { known, sent, ...more }: { known?: number; sent?: number } & Partial<PatientMessage> = {},
): PatientMessage {
  return {
    kind,
    state: sent === undefined ? 'queued' : 'sent',
    created_at: at(hour),
    sent_at: sent === undefined ? null : at(sent),
    claimed_until: null,
    by_user_id: 3,
    known_starts_at: known === undefined ? null : at(known),
    known_doctor_id: known === undefined ? null : 7,
    ...more,
  };
}
const dropped = { state: 'dropped' };
const failed = { state: 'failed' };
const invited = message('invitation', 8, { sent: 8 });

test.each<[name: string, latestFirst: PatientMessage[], known: object]>([
  ['no message: the current place', [], current],
  ['an invitation that was sent: the current place', [invited], current],
  ['a new time that was not sent: the place before it', [message('newTime', 9, { known: 15 }), invited], place(15)],
  [
    'a new time that failed: the place before it',
    [message('newTime', 9, { known: 15, ...failed }), invited],
    place(15),
  ],
  ['a new time that was sent: the current place', [message('newTime', 9, { known: 15, sent: 10 }), invited], current],
  [
    'a new time of which the mail was sent and the text message was not: the current place',
    [message('newTime', 9, { known: 15 }), message('newTime', 9, { known: 15, sent: 10 }), invited],
    current,
  ],
  [
    'two new times that were not sent: the place before the first one',
    [message('newTime', 10, { known: 16 }), message('newTime', 9, { known: 15, ...dropped }), invited],
    place(15),
  ],
  [
    'a new time that was not sent after one that was: the place before the second one',
    [message('newTime', 11, { known: 16 }), message('newTime', 9, { known: 15, sent: 10 }), invited],
    place(16),
  ],
  [
    'a reminder that was sent after a new time that was not: the current place',
    [message('reminder', 10, { sent: 11, by_user_id: null }), message('newTime', 9, { known: 15, ...failed }), invited],
    current,
  ],
  [
    'a message that is being sent: the current place',
    [message('newTime', 9, { known: 15, claimed_until: at(13) }), invited],
    current,
  ],
  [
    'a message whose worker has ended: the place before it',
    [message('newTime', 9, { known: 15, claimed_until: at(11) }), invited],
    place(15),
  ],
  [
    'a move by the patient: the current place',
    [message('newTime', 10, { known: 16, by_user_id: null }), message('newTime', 9, { known: 15 }), invited],
    current,
  ],
  [
    'a cancellation that was not sent, and a restored appointment: the place before it',
    [message('cancelled', 9, { known: 15, ...dropped }), invited],
    place(15),
  ],
])('knownPlace: %s', (_, messages, known) => {
  expect(knownPlace(messages, current, now)).toEqual(known);
});

test('knownBefore: is what the patient knew before the message, also when an earlier one has failed since', () => {
  // The first one was being sent when the second one was queued.
  const second = message('newTime', 10, { known: 16 });
  const before = (first: Partial<PatientMessage> & { sent?: number }) =>
    knownBefore([second, message('newTime', 9, { known: 15, ...first }), invited], second, now);
  expect(before({ sent: 11 })).toEqual(place(16));
  expect(before(failed)).toEqual(place(15));
  expect(knownBefore([invited], invited, now)).toBeNull();
  const own = message('newTime', 10, { known: 16, by_user_id: null });
  expect(knownBefore([own, message('newTime', 9, { known: 15 }), invited], own, now)).toEqual(place(16));
});

test('dependsOnDelivery: is true while a message is being sent that is about an earlier change', () => {
  const sending = { claimed_until: at(13) };
  const change = message('newTime', 10, { known: 16 });
  const earlier = (values: Partial<PatientMessage>) => message('newTime', 9, { known: 15, ...values });
  expect(dependsOnDelivery([change, earlier(sending), invited], change, now)).toBe(true);
  expect(dependsOnDelivery([change, earlier({ claimed_until: at(11) }), invited], change, now)).toBe(false);
  expect(dependsOnDelivery([change, earlier({}), invited], change, now)).toBe(false);
  // Sent or not, the first invitation says nothing else than the patient would know without it.
  expect(dependsOnDelivery([change, message('invitation', 9, sending)], change, now)).toBe(false);
  // The mail and the text message of one notification do not wait for each other.
  expect(dependsOnDelivery([message('newTime', 10, { known: 16, ...sending }), change], change, now)).toBe(false);
  const own = message('newTime', 10, { known: 16, by_user_id: null });
  expect(dependsOnDelivery([own, earlier(sending), invited], own, now)).toBe(false);
});

test('knownWhenCancelled: is what the patient knew before the latest cancellation', () => {
  const refund = message('refunded', 11);
  const cancelled = message('cancelled', 10, { known: 16, sent: 10 });
  expect(knownWhenCancelled([refund, cancelled, invited], now)).toEqual(place(16));
  expect(knownWhenCancelled([refund, cancelled, message('newTime', 9, { known: 15 }), invited], now)).toEqual(
    place(15),
  );
  expect(knownWhenCancelled([invited], now)).toBeUndefined();
});
