import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { appointmentBody } from '@roomside/contract/appointments/calls.ts';
import { beforeAll, expect, test } from 'vitest';
import { ensureTemporal } from '../../time/temporal.ts';
import { type AppointmentValues, appointmentForm, toBody, toForm } from './appointment-form.ts';
import { messageOfSave } from './message-of-save.ts';

beforeAll(ensureTemporal);

const read: Appointment = {
  appointmentId: 7,
  appointmentUid: '0123456789abcdef0123456789abcdef',
  version: 4,
  accessCode: 'abc',
  startDate: '2026-01-05T14:30:27.123Z',
  endDate: '2026-01-05T15:00:27.123Z',
  doctorId: 2,
  doctor: { userId: 2, firstName: 'Maya', lastName: 'Reyes' },
  patientId: 9,
  patient: { firstName: 'Siobhan', lastName: "O'Brien" },
  status: 'scheduled',
  statusTooltip: '',
  cancelled: false,
  cancellationNotes: '',
  patientPresent: null,
  providerPresent: null,
  waitTime: 0,
  duration: 0,
  fee: '60.00',
  collected: '25.00',
  chargeable: true,
  refundable: false,
  externalTransaction: '',
  externalId: '',
  notes: '',
  notesVersion: 0,
  welcomeMessage: '',
  recorded: false,
  notifiedStart: null,
  expected: [],
  config: { startHour: 8, endHour: 17, slot: 15, duration: 30, timeZone: 'America/New_York' },
  notificationLogs: [],
};
const at9 = { startDate: '2100-01-05T14:30:00.000Z', doctorId: 2 };
const at10 = (doctorId: number) => ({ startDate: '2100-01-05T15:00:00.000Z', doctorId });
const values = (over: Partial<AppointmentValues> = {}): AppointmentValues => ({ ...toForm(read), ...over });

test('form: shows the clinic’s wall time and the length in minutes', () => {
  expect(toForm(read)).toMatchObject({ date: '2026-01-05', time: '09:30', minutes: '30' });
});

test('body: keeps an untouched start, and has amounts only where they were typed @CALL-4', () => {
  const body = toBody(values({ welcomeMessage: 'Hello' }), read, read.startDate);
  expect(body).toMatchObject({ appointmentId: 7, version: 4, startDate: read.startDate, welcomeMessage: 'Hello' });
  for (const name of ['fee', 'collected', 'minutes', 'accessCode']) expect(body).not.toHaveProperty(name);
  expect(appointmentBody.safeParse(body).success).toBe(true);
});

test('body: has a typed start as an instant of the clinic’s zone, and a typed length and amount @CALL-4', () => {
  const body = toBody(values({ time: '13:15', minutes: '45', collected: '60' }), read, read.startDate);
  expect(body).toMatchObject({ startDate: '2026-01-05T18:15:00Z', minutes: 45, collected: '60' });
  expect(appointmentBody.safeParse(body).success).toBe(true);
});

test.each([
  ['nothing typed', {}, {}, undefined],
  ['another length', { minutes: '45' }, {}, undefined],
  ['another time', { time: '10:00' }, {}, 'newTime'],
  ['another provider', { doctorId: 3 }, {}, 'newProvider'],
  ['another time and provider', { time: '10:00', doctorId: 3 }, {}, 'newTime'],
  ['another time of a patient who was not notified', { time: '10:00' }, { expected: [] }, undefined],
  ['another patient', { time: '10:00', patientId: 10 }, {}, undefined],
  ['a time in the past', { date: '2020-01-05' }, {}, undefined],
  ['a time that is being typed', { time: '1:' }, {}, undefined],
  ['a cancelled appointment', { time: '10:00' }, { cancelled: true }, undefined],
  ['a visit in progress', { time: '10:00' }, { status: 'inProgress' }, undefined],
  ['back to what the patient expects', { time: '10:00' }, { expected: [at10(2)] }, undefined],
  ['back to that time with another provider', { time: '10:00' }, { expected: [at10(3)] }, 'newProvider'],
  ['one of two that the patient may expect', { time: '10:00' }, { expected: [at10(2), at9] }, 'newTime'],
] as const)('message of a save with %s', (_case, typed, stored, message) => {
  const own: Appointment = { ...read, startDate: at9.startDate, expected: [at9] };
  const appointment = { ...own, ...stored } as Appointment;
  expect(messageOfSave(appointment, { ...toForm(own), ...typed }, own.startDate)).toBe(message);
});

test('body: has the chosen one of two starts at a time that the clocks repeat, until another time is typed', () => {
  const typed = values({ date: '2026-11-01', time: '01:30' });
  const [first, second] = ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'];
  expect(toBody(typed, read, second).startDate).toBe(second);
  expect(toBody(typed, { ...read, startDate: second }, read.startDate).startDate).toBe(second);
  expect(toBody(typed, read, first).startDate).toBe(first);
  expect(toBody(typed, read, read.startDate).startDate).toBe(first);
  expect(toBody({ ...typed, time: '01:45' }, read, second).startDate).toBe('2026-11-01T05:45:00Z');
});

test('body: asks for a new code when the stored one is unreadable @CALL-4', () => {
  expect(toBody(values(), { ...read, accessCode: '' }, read.startDate)).toMatchObject({ accessCode: '*' });
});

test('body: has the code * for a new or newly cancelled appointment, and the stored one if it was cancelled before @CALL-4 @STATE-2', () => {
  const cancelled = { ...read, cancelled: true };
  expect(toBody(values({ cancelled: true }), read, read.startDate)).toMatchObject({ cancelled: true, accessCode: '*' });
  expect(toBody(values(), { ...read, appointmentId: 0, version: 0 }, read.startDate)).toMatchObject({
    accessCode: '*',
    minutes: 30,
  });
  expect(toBody(values({ cancelled: true }), cancelled, read.startDate)).not.toHaveProperty('accessCode');
  expect(toBody(values({ cancelled: false }), cancelled, read.startDate)).not.toHaveProperty('accessCode');
});

const faults = (over: Partial<AppointmentValues>) =>
  appointmentForm(read)
    .safeParse(values(over))
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

test('more collected than the fee: is accepted as stored, and refused when an amount is typed', () => {
  const stored = { fee: '50.00', collected: '100.00' };
  const isAccepted = (over: Partial<AppointmentValues>) =>
    appointmentForm(stored).safeParse(values({ ...stored, ...over })).success;
  expect(isAccepted({ welcomeMessage: 'Hello' })).toBe(true);
  expect(isAccepted({ collected: '90.00' })).toBe(false);
  expect(isAccepted({ fee: '60.00' })).toBe(false);
  expect(isAccepted({ collected: '50.00' })).toBe(true);
});

test.each<[Partial<AppointmentValues>, string[] | undefined]>([
  [{}, undefined],
  [{ date: '' }, ['date: Please select date and time.']],
  [{ date: 'unfinished' }, ['date: Please select date and time.']],
  [{ time: '' }, ['time: Please select date and time.']],
  [{ doctorId: 0 }, ['doctorId: Please select a provider.']],
  [{ patientId: 0 }, ['patientId: Required']],
  [{ minutes: '4' }, ['minutes: From 5 to 600 minutes']],
  [{ minutes: '601' }, ['minutes: From 5 to 600 minutes']],
  [{ fee: '' }, ['fee: Required', 'fee: Not valid']],
  [{ fee: '60.005' }, ['fee: Not valid']],
  [{ collected: '-1' }, ['collected: Not valid']],
  [{ collected: '60.01' }, ['collected: Collected cannot be more than the fee.']],
  [{ externalId: 'x'.repeat(101) }, ['externalId: At most 100 characters']],
  [{ welcomeMessage: 'x'.repeat(201) }, ['welcomeMessage: At most 200 characters']],
])('form values %#: have the errors of the save @VALID-4', (over, expected) => {
  expect(faults(over)).toEqual(expected);
});
