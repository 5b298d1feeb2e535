import * as z from 'zod/mini';
import { outsideAppointment } from '../appointments/outside-appointment.ts';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { providers, staff } from '../permissions.ts';
import { date, id, idOrZero, line, version } from '../shape.ts';
import { fieldTexts } from '../texts.ts';

/** A closure of the company (`userId` null) or leave of a provider; company days, inclusive. It overrides all rules. */
const row = z.object({
  timeOffId: z.int(),
  version: z.int(),
  userId: z.nullable(z.int()),
  provider: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  firstDay: z.string(),
  lastDay: z.string(),
  reason: z.string(),
  /** The number of upcoming appointments in it. */
  appointments: z.int(),
});
export type TimeOffRow = z.infer<typeof row>;

/** Current and future time off, earliest first; with `past`, past time off, latest first. At most 200. */
export const listTimeOff = call({
  name: 'listTimeOff',
  summary: 'Closures of the company and leave of its providers.',
  method: 'GET',
  path: '/api/time-off',
  who: staff,
  query: z.object({ past: z.optional(z.boolean()) }),
  result: z.object({ data: z.array(row) }),
});

/** The upcoming appointments in a closure or leave, earliest first, at most 200. */
export const listTimeOffAppointments = call({
  name: 'listTimeOffAppointments',
  summary: 'The upcoming appointments in a closure or leave.',
  method: 'GET',
  path: '/api/time-off/:timeOffId/appointments',
  who: staff,
  params: z.object({ timeOffId: id }),
  result: z.object({ data: z.array(outsideAppointment) }),
});

export const timeOffBody = z
  .object({
    timeOffId: idOrZero,
    version,
    /** Null = the whole company: administrators only. Doctors save only their own leave. */
    userId: z.nullable(id),
    firstDay: date,
    lastDay: date,
    reason: line(limits.timeOffReason),
  })
  .check(z.refine((t) => t.lastDay >= t.firstDay, { error: fieldTexts.endBeforeStart, path: ['lastDay'] }));
export type TimeOffBody = z.infer<typeof timeOffBody>;

export const saveTimeOff = call({
  name: 'saveTimeOff',
  summary: 'Creates a closure or leave (timeOffId 0) or saves one.',
  method: 'POST',
  path: '/api/time-off',
  who: providers,
  body: timeOffBody,
  /** `appointments` are the upcoming appointments in it; they do not change. */
  result: z.object({ timeOffId: z.int(), version: z.int(), appointments: z.array(outsideAppointment) }),
  creates: true,
  refusals: ['stale', 'key-reused', 'card-number'],
});

export const deleteTimeOff = call({
  name: 'deleteTimeOff',
  summary: 'Deletes a closure or leave.',
  method: 'DELETE',
  path: '/api/time-off/:timeOffId',
  who: providers,
  params: z.object({ timeOffId: id }),
});
