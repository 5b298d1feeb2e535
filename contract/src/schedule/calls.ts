import * as z from 'zod/mini';
import { statuses } from '../appointments/status.ts';
import { call } from '../call.ts';
import { durationBounds, maxCalendarDays } from '../limits.ts';
import { staff } from '../permissions.ts';
import { date, dayRange, id, idList, idOrZero, instant, maxDays, version } from '../shape.ts';

/** The hours of the company's day; `slot` and `duration` are in minutes (ENTITY-15). */
const settings = z.object({
  startHour: z.int(),
  endHour: z.int(),
  slot: z.int(),
  duration: z.int(),
  timeZone: z.string(),
});
export type ScheduleSettings = z.infer<typeof settings>;

/** CALL-29, ENTITY-15: the providers with a column in the calendars, and the company's day. */
export const getScheduleSettings = call({
  name: 'getScheduleSettings',
  summary: 'The providers and hours of calendars.',
  method: 'GET',
  path: '/api/schedule/settings',
  who: staff,
  result: z.object({
    physicians: z.array(z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() })),
    settings,
  }),
});

/** An appointment in a calendar; cancelled ones are not included. Instants are ISO 8601. */
const entry = z.object({
  appointmentId: z.int(),
  version: z.int(),
  patientId: z.int(),
  doctorId: z.int(),
  startDate: z.string(),
  endDate: z.string(),
  /** 'last, first'. */
  patient: z.string(),
  status: z.enum(statuses),
  /** Overbooked on purpose, or started immediately: it may overlap with another appointment. */
  overlaps: z.boolean(),
});
export type ScheduleEntry = z.infer<typeof entry>;

/** A window of wall time in which a provider can be booked; minutes of the company's day. */
const openTime = z.object({ date: z.string(), doctorId: z.int(), start: z.int(), end: z.int() });
export type OpenTime = z.infer<typeof openTime>;

const dayOff = z.object({
  timeOffId: z.int(),
  /** Null = the whole company. */
  userId: z.nullable(z.int()),
  firstDay: z.string(),
  lastDay: z.string(),
  reason: z.string(),
});
export type DayOff = z.infer<typeof dayOff>;

/** A busy time of a provider's external calendar. Its title is not known. Instants are ISO 8601. */
const busyTime = z.object({ doctorId: z.int(), startDate: z.string(), endDate: z.string() });
export type BusyTime = z.infer<typeof busyTime>;

/**
 * The calendar data of the company days `from` to `to` (inclusive, at most 42): appointments, windows in which providers can be
 * booked, closures and leave, and busy times of external calendars. `physicians`: ids joined by commas; empty = all.
 */
export const listSchedule = call({
  name: 'listSchedule',
  summary: 'The appointments of a range of days, for calendars.',
  method: 'GET',
  path: '/api/schedule',
  who: staff,
  query: z.object({ ...dayRange, physicians: z.optional(idList) }).check(maxDays(maxCalendarDays)),
  result: z.object({
    data: z.array(entry),
    open: z.array(openTime),
    timeOff: z.array(dayOff),
    busy: z.array(busyTime),
  }),
});

/**
 * The bookable starts of one provider's day for the slot picker, in order, free and taken, without past ones.
 * `appointmentId` is the one being moved: its own time counts as free. `minutes`: its planned length; default: the company's.
 */
export const listSlots = call({
  name: 'listSlots',
  summary: 'The free and taken starts of a provider’s day.',
  method: 'GET',
  path: '/api/schedule/slots',
  who: staff,
  query: z.object({
    doctorId: id,
    date,
    appointmentId: z.optional(idOrZero),
    minutes: z.optional(z.int().check(z.gte(durationBounds.min), z.lte(durationBounds.max))),
  }),
  result: z.object({
    data: z.array(z.object({ startDate: z.string(), free: z.boolean() })),
    /** The closure or leave of that day with its reason; null when there is none. */
    off: z.nullable(z.object({ reason: z.string(), clinic: z.boolean() })),
  }),
});

/** `current` of `slot-taken`: the conflicting appointment (staff only) and free starts near the requested one. */
export const takenSlot = z.object({
  appointment: z.optional(
    z.object({
      appointmentId: z.int(),
      startDate: z.string(),
      endDate: z.string(),
      patient: z.object({ firstName: z.string(), lastName: z.string() }),
    }),
  ),
  free: z.array(z.object({ startDate: z.string(), doctorId: z.int() })),
});
export type TakenSlot = z.infer<typeof takenSlot>;

/**
 * The notification of a new time or provider: sent after `moveUndoMs` ('held') or now ('queued'); or not sent, because the patient was never
 * invited ('notInvited'), has no email or phone ('noContact'), the company's trial permits no more messages today ('trialLimit'), or
 * the patient knows both already or the time is past ('none').
 */
const moveNotice = z.enum(['held', 'queued', 'notInvited', 'noContact', 'trialLimit', 'none']);
export type MoveNotice = z.infer<typeof moveNotice>;

/** SCHED-3, STATE-25: drag and drop. The length does not change. `overbook` is set after the user has confirmed. */
export const moveAppointment = call({
  name: 'moveAppointment',
  summary: 'Moves an appointment to another time or provider.',
  method: 'POST',
  path: '/api/appointments/:appointmentId/move',
  who: staff,
  params: z.object({ appointmentId: id }),
  body: z.object({ startDate: instant, doctorId: id, version, overbook: z.optional(z.boolean()) }),
  result: z.object({ startDate: z.string(), endDate: z.string(), version: z.int(), notice: moveNotice }),
  refusals: ['stale', 'slot-taken', 'appointment-cancelled', 'has-started', 'patient-archived'],
});
