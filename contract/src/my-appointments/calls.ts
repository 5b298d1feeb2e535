import * as z from 'zod/mini';
import { call } from '../call.ts';
import { maxBookingDays } from '../limits.ts';
import { dayRange, instant, maxDays, uid, version } from '../shape.ts';

const visit = z.object({
  appointmentUid: z.string(),
  version: z.int(),
  startDate: z.string(),
  endDate: z.string(),
  doctor: z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() }),
  /** The end of the notice period: until then the patient may move or cancel the appointment. May be in the past. */
  changeUntil: z.string(),
  /** Something was paid, so there is a receipt. */
  hasReceipt: z.boolean(),
});
export type UpcomingAppointment = z.infer<typeof visit>;

/** All upcoming appointments of the patient at this clinic, earliest first (page /patient). */
export const listUpcomingAppointments = call({
  name: 'listUpcomingAppointments',
  summary: 'The signed-in patient’s upcoming visits.',
  method: 'GET',
  path: '/api/upcoming-appointments',
  who: ['P'],
  unlicensed: 'yes',
  result: z.object({
    data: z.array(visit),
    companyName: z.string(),
    /** For booking by link; null when the clinic does not accept it. */
    companyUid: z.nullable(z.string()),
    timeZone: z.string(),
    noticeHours: z.int(),
    supportEmail: z.string(),
    /** The first and last company day to which an appointment can be moved, inclusive. */
    firstDay: z.string(),
    lastDay: z.string(),
    now: z.string(),
  }),
});

/** Free starts of the same provider for the company days `from` to `to`; the appointment's own time counts as free. */
export const listMySlots = call({
  name: 'listMySlots',
  summary: 'The starts to which the patient may move a visit.',
  method: 'GET',
  path: '/api/upcoming-appointments/:uid/slots',
  who: ['P'],
  params: z.object({ uid }),
  query: z.object({ ...dayRange }).check(maxDays(maxBookingDays)),
  result: z.object({ data: z.array(z.object({ startDate: z.string() })) }),
});

/** With `slot-taken`, `current` is {free}: the next free starts. One appointment can be moved `maxMovesPerDay` times a day. */
export const moveMyAppointment = call({
  name: 'moveMyAppointment',
  summary: 'Moves one of the patient’s own visits.',
  method: 'POST',
  path: '/api/upcoming-appointments/:uid/move',
  who: ['P'],
  params: z.object({ uid }),
  body: z.object({ startDate: instant, version }),
  result: z.object({ startDate: z.string(), endDate: z.string(), version: z.int() }),
  refusals: ['stale', 'slot-taken', 'too-late', 'too-many-moves', 'appointment-cancelled'],
});

/** Invalidates the appointment's link, and ends a sign-in that was made with it. */
export const cancelMyAppointment = call({
  name: 'cancelMyAppointment',
  summary: 'Cancels one of the patient’s own visits.',
  method: 'POST',
  path: '/api/upcoming-appointments/:uid/cancel',
  who: ['P'],
  unlicensed: 'yes',
  params: z.object({ uid }),
  body: z.object({ version }),
  refusals: ['stale', 'too-late', 'appointment-cancelled'],
});

/** The patient's next appointment, or that of the access code when none is upcoming (ROUTE-2, ROOM-10); at most one. */
export const listMyAppointments = call({
  name: 'listMyAppointments',
  summary: 'The signed-in patient’s next visit.',
  method: 'GET',
  path: '/api/my-appointments',
  who: ['P'],
  unlicensed: 'yes',
  result: z.object({
    data: z.array(
      z.object({
        appointmentId: z.int(),
        appointmentUid: z.string(),
        startDate: z.string(),
        endDate: z.string(),
        doctor: z.object({ firstName: z.string(), lastName: z.string() }),
        cancelled: z.boolean(),
        ended: z.boolean(),
        chargeable: z.boolean(),
        companyName: z.string(),
        timeZone: z.string(),
      }),
    ),
    now: z.string(),
  }),
});
