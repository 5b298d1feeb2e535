import * as z from 'zod/mini';
import { call } from '../call.ts';
import { durationBounds, limits } from '../limits.ts';
import { providers, staff } from '../permissions.ts';
import {
  date,
  email,
  hhmm,
  id,
  idList,
  idOrZero,
  instant,
  line,
  listQuery,
  listResult,
  money,
  phone,
  text,
  version,
} from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { notificationKinds } from './notification-kinds.ts';
import { statuses } from './status.ts';

/** LIST-12: the status is computed, so it is not a sort column. */
export const appointmentColumns = ['startDate', 'patient', 'doctor', 'duration', 'collected'] as const;

const person = z.object({ firstName: z.string(), lastName: z.string() });
const doctor = z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() });

/** A row of the appointment list (ENTITY-1, LIST-8). Instants are ISO 8601; `duration` and `waitTime` are in seconds. */
const appointmentRow = z.object({
  appointmentId: z.int(),
  appointmentUid: z.string(),
  startDate: z.string(),
  endDate: z.string(),
  patientId: z.int(),
  patient: person,
  doctorId: z.int(),
  doctor,
  status: z.enum(statuses),
  statusTooltip: z.string(),
  /** The latest notification of the patient about an upcoming appointment was delivered neither by mail nor by text. */
  undelivered: z.boolean(),
  cancelled: z.boolean(),
  patientPresent: z.nullable(z.string()),
  providerPresent: z.nullable(z.string()),
  waitTime: z.int(),
  duration: z.int(),
  fee: z.string(),
  collected: z.string(),
});
export type AppointmentRow = z.infer<typeof appointmentRow>;

const listFilter = {
  /** One day in the company's zone. */
  startDate: z.optional(date),
  /** Provider ids joined by commas; empty or '0' = all (LIST-4, ENTITY-22). */
  physicians: z.optional(idList),
  patientId: z.optional(id),
};

/** CALL-6. `tag` has the settings that the list needs. */
export const listAppointments = call({
  name: 'listAppointments',
  summary: 'Appointments of a day or of a patient.',
  method: 'GET',
  path: '/api/appointments',
  who: staff,
  query: z.object({ ...listQuery(appointmentColumns), ...listFilter }),
  result: z.extend(listResult(appointmentRow), { tag: z.object({ timeZone: z.string(), currency: z.string() }) }),
});

/** CALL-7, LIST-6: all rows of the day with the screen's filter and sort order, plus fee and time zone. */
export const downloadAppointments = call({
  name: 'downloadAppointments',
  summary: 'The appointments of a day as CSV.',
  method: 'GET',
  path: '/api/appointments/report',
  who: staff,
  query: z.object({
    startDate: date,
    physicians: listFilter.physicians,
    filter: z.optional(line(limits.search)),
    orderBy: listQuery(appointmentColumns).orderBy,
  }),
  format: 'text/csv',
});

/** The editable appointment (ENTITY-1, APPT-4). */
const appointment = z.object({
  appointmentId: z.int(),
  appointmentUid: z.string(),
  version: z.int(),
  /** '' when the stored code cannot be decrypted; saving with '*' then creates a new one. */
  accessCode: z.string(),
  startDate: z.string(),
  endDate: z.string(),
  doctorId: z.int(),
  doctor: z.nullable(doctor),
  patientId: z.int(),
  patient: z.nullable(person),
  status: z.enum(statuses),
  statusTooltip: z.string(),
  cancelled: z.boolean(),
  cancellationNotes: z.string(),
  patientPresent: z.nullable(z.string()),
  providerPresent: z.nullable(z.string()),
  waitTime: z.int(),
  duration: z.int(),
  fee: z.string(),
  collected: z.string(),
  chargeable: z.boolean(),
  /** Something was paid by card that can be refunded. */
  refundable: z.boolean(),
  externalTransaction: z.string(),
  externalId: z.string(),
  notes: z.string(),
  notesVersion: z.int(),
  welcomeMessage: z.string(),
  recorded: z.boolean(),
  config: z.object({ startHour: z.int(), endHour: z.int(), slot: z.int(), duration: z.int(), timeZone: z.string() }),
  /** The start that the patient knows, or that a message on its way names: a cancellation notifies of it. null = the patient was not notified. */
  notifiedStart: z.nullable(z.string()),
  /**
   * The starts and providers that the patient may expect, by messages that were sent or are on their way. A save with another start or provider
   * notifies the patient. Empty = the patient was not notified.
   */
  expected: z.array(z.object({ startDate: z.string(), doctorId: z.int() })),
  notificationLogs: z.array(
    z.object({
      notificationId: z.int(),
      sent: z.nullable(z.string()),
      kind: z.enum(notificationKinds),
      state: z.enum(['queued', 'sent', 'failed', 'dropped']),
      notificationMethod: z.object({ name: z.string() }),
      user: z.nullable(person),
    }),
  ),
});
export type Appointment = z.infer<typeof appointment>;

/** CALL-3: id 0 returns a blank template, prefilled from the query (APPT-1). `date` and `time` are company wall time. */
export const getAppointment = call({
  name: 'getAppointment',
  summary: 'One appointment, or a blank template.',
  method: 'GET',
  path: '/api/appointments/:appointmentId',
  who: staff,
  unlicensed: 'during-visit',
  params: z.object({ appointmentId: idOrZero }),
  query: z.object({
    patient: z.optional(idOrZero),
    doctor: z.optional(idOrZero),
    date: z.optional(date),
    time: z.optional(hhmm),
  }),
  result: appointment,
});

/** CALL-4, VALID-4. `accessCode` '*' creates a new code and invalidates the old link; `overbook` is set after the user has confirmed. */
export const appointmentBody = z.object({
  appointmentId: idOrZero,
  version,
  startDate: instant,
  /** Planned length, minutes. Default: the company's at creation, unchanged afterwards. */
  minutes: z.optional(z.int().check(z.gte(durationBounds.min), z.lte(durationBounds.max))),
  doctorId: z.int().check(z.positive(fieldTexts.provider)),
  patientId: z.int().check(z.positive(fieldTexts.required)),
  accessCode: z.optional(text(limits.accessCode)),
  cancelled: z.boolean(),
  cancellationNotes: text(limits.cancellationNotes),
  /** Ignored unless the caller is an administrator. */
  fee: z.optional(money),
  collected: z.optional(money),
  /** The collected amount that the form showed. Refused as `stale` when another one is stored. Default: not compared. */
  collectedBefore: z.optional(money),
  externalId: line(limits.appointmentExternalId),
  welcomeMessage: text(limits.welcomeMessage),
  overbook: z.optional(z.boolean()),
});
export type AppointmentBody = z.infer<typeof appointmentBody>;

export const saveAppointment = call({
  name: 'saveAppointment',
  summary: 'Creates an appointment (appointmentId 0) or saves one.',
  method: 'POST',
  path: '/api/appointments',
  who: staff,
  body: appointmentBody,
  result: z.object({ appointmentId: z.int(), appointmentUid: z.string(), version: z.int() }),
  creates: true,
  refusals: [
    'stale',
    'slot-taken',
    'has-activity',
    'has-started',
    'patient-notified',
    'patient-archived',
    'collected-above-fee',
    'payment-open',
    'card-number',
    'key-reused',
  ],
});

/** LIST-20, VALID-32. */
export const deleteAppointment = call({
  name: 'deleteAppointment',
  summary: 'Archives an appointment without activity.',
  method: 'DELETE',
  path: '/api/appointments/:appointmentId',
  who: staff,
  params: z.object({ appointmentId: id }),
  refusals: ['has-activity'],
});

/** CALL-5, LIST-21 'Invitation Only'. */
export const notifyAppointment = call({
  name: 'notifyAppointment',
  summary: 'Sends the invitation with link, code and calendar entry.',
  method: 'POST',
  path: '/api/appointments/:appointmentId/notify',
  who: staff,
  params: z.object({ appointmentId: id }),
  refusals: ['appointment-cancelled', 'visit-over', 'patient-archived', 'no-contact', 'trial-messages'],
});

/** STATE-4, LIST-21 'Invite and Connect': sets the start to now, keeps the planned start, sends the invitation. */
export const connectAppointment = call({
  name: 'connectAppointment',
  summary: 'Starts an appointment now and invites the patient.',
  method: 'POST',
  path: '/api/appointments/:appointmentId/connect',
  who: staff,
  params: z.object({ appointmentId: id }),
  /** `invited` is false for a patient without email and phone: staff must pass on the link. */
  result: z.object({ appointmentUid: z.string(), invited: z.boolean() }),
  refusals: ['appointment-cancelled', 'visit-over', 'has-started', 'patient-archived', 'trial-messages'],
});

/** CALL-11, STATE-20. Notes have their own version. With `stale`, `current` is {notes, notesVersion}. */
export const updateNotes = call({
  name: 'updateNotes',
  summary: 'Saves the notes of an appointment.',
  method: 'PUT',
  path: '/api/appointments/:appointmentId/notes',
  who: staff,
  unlicensed: 'during-visit',
  params: z.object({ appointmentId: id }),
  body: z.object({ notes: text(limits.notes), notesVersion: version }),
  result: z.object({ notesVersion: z.int() }),
  refusals: ['stale', 'card-number'],
});

/** VALID-30: one of email and phone may be ''. */
export const instantBody = z
  .object({
    patientId: z.optional(id),
    email: z.union([z.literal(''), email]),
    phone: z.union([z.literal(''), phone]),
  })
  .check(
    z.refine((b) => b.patientId !== undefined || b.email !== '' || b.phone !== '', {
      error: fieldTexts.contact,
      path: ['email'],
    }),
  );

/** STATE-4, CONST-14, INSTANT-1: an appointment now with the caller; without `patientId`, for a new anonymous patient. */
export const startInstantAppointment = call({
  name: 'startInstantAppointment',
  summary: 'Creates an appointment now, invites the patient and returns its room.',
  method: 'POST',
  path: '/api/instant-appointments',
  who: providers,
  body: instantBody,
  result: z.object({ appointmentId: z.int(), appointmentUid: z.string(), invited: z.boolean() }),
  creates: true,
  refusals: ['key-reused', 'trial-messages'],
});
