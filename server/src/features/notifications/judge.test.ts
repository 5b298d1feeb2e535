import { describe, expect, test } from 'vitest';
import { judgeNotification, type NotifiedAppointment, type QueuedNotification } from './judge.ts';
import { deliveryTexts } from './texts.ts';

const now = '2031-03-03T12:00:00.000Z';
const booked: NotifiedAppointment = {
  patientId: 21,
  startsAt: '2031-03-03T14:00:00.000Z',
  endsAt: '2031-03-03T14:30:00.000Z',
  doctorId: 7,
  cancelled: false,
  isTest: false,
  company: { disabled: false, remindBeforeMin: 60 },
};
const over = { startsAt: '2031-03-03T11:00:00.000Z', endsAt: '2031-03-03T11:30:00.000Z' };
const begun = { startsAt: '2031-03-03T11:55:00.000Z', endsAt: '2031-03-03T12:25:00.000Z' };

type Kind = QueuedNotification['kind'];
const queued = (kind: Kind, values: Partial<QueuedNotification> = {}): QueuedNotification => ({
  kind,
  patientId: kind === 'arrival' || kind === 'nudge' ? null : 21,
  dueAt: '2031-03-03T13:00:00.000Z',
  createdAt: '2031-03-03T09:00:00.000Z',
  known: null,
  ...values,
});

type Row = [
  name: string,
  kind: Kind,
  appointment: Partial<NotifiedAppointment>,
  isObsolete: boolean,
  verdict: ['due'] | ['dropped' | 'failed', string],
  notification?: Partial<QueuedNotification>,
];

const rows: Row[] = [
  ['an invitation', 'invitation', {}, false, ['due']],
  ['an invitation before a later message', 'invitation', {}, true, ['dropped', deliveryTexts.superseded]],
  ['an invitation that an outage delayed past the end', 'invitation', over, false, ['dropped', deliveryTexts.past]],
  ['an invitation to an appointment that has begun', 'invitation', begun, false, ['due']],
  [
    'an invitation to a cancelled appointment',
    'invitation',
    { cancelled: true },
    false,
    ['dropped', deliveryTexts.cancelled],
  ],
  ['an invitation to a test visit', 'invitation', { isTest: true }, false, ['dropped', deliveryTexts.test]],
  ['an arrival at a test visit', 'arrival', { isTest: true }, false, ['dropped', deliveryTexts.test]],
  ['a new time', 'newTime', {}, false, ['due']],
  ['a new time before a later message', 'newTime', {}, true, ['dropped', deliveryTexts.superseded]],
  [
    'a new time of an appointment that is again where the patient knows it',
    'newTime',
    {},
    false,
    ['dropped', deliveryTexts.movedAgain],
    { known: { place: { startsAt: booked.startsAt, doctorId: 7 }, possible: [] } },
  ],
  [
    'a new time of an appointment that only another provider has',
    'newTime',
    {},
    false,
    ['due'],
    { known: { place: { startsAt: booked.startsAt, doctorId: 8 }, possible: [] } },
  ],
  [
    'a new time of an appointment that is again where the patient knew it, after a message that may have arrived',
    'newTime',
    {},
    false,
    ['due'],
    {
      known: {
        place: { startsAt: booked.startsAt, doctorId: 7 },
        possible: [{ startsAt: over.startsAt, doctorId: 7 }],
      },
    },
  ],
  [
    'a new time to a patient who knows of no appointment',
    'newTime',
    {},
    false,
    ['dropped', deliveryTexts.unaware],
    { known: { place: null, possible: [] } },
  ],
  [
    'a cancellation to a patient who knows of no appointment',
    'cancelled',
    { cancelled: true },
    false,
    ['dropped', deliveryTexts.unaware],
    { known: { place: null, possible: [] } },
  ],
  [
    'a cancellation to a patient who may know of the appointment',
    'cancelled',
    { cancelled: true },
    false,
    ['due'],
    { known: { place: null, possible: [{ startsAt: booked.startsAt, doctorId: 7 }] } },
  ],
  ['a new time that has passed', 'newTime', begun, false, ['dropped', deliveryTexts.past]],
  [
    'a new time of a cancelled appointment',
    'newTime',
    { cancelled: true },
    false,
    ['dropped', deliveryTexts.cancelled],
  ],
  ['a reminder', 'reminder', {}, false, ['due']],
  ['a reminder before a later message', 'reminder', {}, true, ['due']],
  [
    'a reminder of an earlier start',
    'reminder',
    { startsAt: '2031-03-03T15:00:00.000Z' },
    false,
    ['dropped', deliveryTexts.superseded],
  ],
  ['a reminder of an appointment that has begun', 'reminder', begun, false, ['dropped', deliveryTexts.past]],
  [
    'a reminder of a cancelled appointment',
    'reminder',
    { cancelled: true },
    false,
    ['dropped', deliveryTexts.cancelled],
  ],
  ['a cancellation', 'cancelled', { cancelled: true }, false, ['due']],
  ['a cancellation before a later one', 'cancelled', { cancelled: true }, true, ['dropped', deliveryTexts.superseded]],
  ['a cancellation of a re-activated appointment', 'cancelled', {}, false, ['dropped', deliveryTexts.restored]],
  [
    'a cancellation that an outage delayed past the end',
    'cancelled',
    { ...over, cancelled: true },
    false,
    ['dropped', deliveryTexts.past],
  ],
  [
    'a message to the previous patient of the appointment',
    'invitation',
    { patientId: 22 },
    false,
    ['dropped', deliveryTexts.otherPatient],
  ],
  [
    'a message of a disabled clinic',
    'reminder',
    { company: { disabled: true, remindBeforeMin: 60 } },
    false,
    ['failed', deliveryTexts.companyDisabled],
  ],
  ['an arrival that was queued hours ago', 'arrival', begun, false, ['dropped', deliveryTexts.past]],
];

test.each(rows)('judgeNotification: %s', (_, kind, appointment, isObsolete, [is, reason], notification = {}) => {
  const verdict = judgeNotification(queued(kind, notification), { ...booked, ...appointment }, isObsolete, now);
  expect(verdict).toEqual(reason === undefined ? { is } : { is, reason });
});

describe('judgeNotification: a notification to a user', () => {
  test.each(['arrival', 'nudge'] as const)('%s: is due for 30 minutes', (kind) => {
    const at = (createdAt: string) => judgeNotification(queued(kind, { createdAt }), booked, false, now).is;
    expect([at('2031-03-03T11:30:00.001Z'), at('2031-03-03T11:30:00.000Z')]).toEqual(['due', 'dropped']);
  });

  test('nudge: is dropped once the patient does not wait without a provider', () => {
    const nudge = queued('nudge', { createdAt: '2031-03-03T11:55:00.000Z' });
    expect(judgeNotification(nudge, booked, true, now)).toEqual({
      is: 'dropped',
      reason: deliveryTexts.noLongerWaiting,
    });
  });
});
