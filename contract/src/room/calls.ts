import * as z from 'zod/mini';
import { call } from '../call.ts';
import { uid } from '../shape.ts';

const inRoom = ['A', 'D', 'U', 'P'] as const;

/** ENTITY-19: `limit` in minutes, 0 = none; `iceServers` with credentials that expire. */
export const getTeleappointment = call({
  name: 'getTeleappointment',
  summary: 'What a room needs to open.',
  method: 'GET',
  path: '/api/teleappointments/:uid',
  who: inRoom,
  params: z.object({ uid }),
  result: z.object({
    appointment: z.object({
      appointmentId: z.int(),
      appointmentUid: z.string(),
      startDate: z.string(),
      endDate: z.string(),
      patientId: z.int(),
      patient: z.object({ firstName: z.string(), lastName: z.string() }),
      doctorId: z.int(),
      doctor: z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() }),
      cancelled: z.boolean(),
      /** The visit is over for the patient: staff ended it. */
      ended: z.boolean(),
      chargeable: z.boolean(),
      welcomeMessage: z.string(),
      recorded: z.boolean(),
      /** Seconds both sides have met so far. */
      duration: z.int(),
    }),
    companyName: z.string(),
    timeZone: z.string(),
    supportEmail: z.string(),
    limit: z.int(),
    canRecord: z.boolean(),
    iceServers: z.array(
      z.object({
        urls: z.union([z.string(), z.array(z.string())]),
        username: z.optional(z.string()),
        credential: z.optional(z.string()),
      }),
    ),
    /** The caller's own peer id, `{role}_{userId}_{sn}`. */
    peerId: z.string(),
    /** The server's clock, so that timers do not trust the device's. */
    now: z.string(),
  }),
});
export type Teleappointment = z.infer<NonNullable<typeof getTeleappointment.result>>;

/** ENTITY-17; `messageId` is set once stored, `key` is the sender's own mark of the message. */
const chatMessage = z.object({
  type: z.literal(1),
  session: z.string(),
  messageId: z.int(),
  key: z.string(),
  userId: z.nullable(z.int()),
  patientId: z.nullable(z.int()),
  user: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  patient: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  payload: z.string(),
  date: z.string(),
});
export type ChatMessage = z.infer<typeof chatMessage>;

export const listMessages = call({
  name: 'listMessages',
  summary: 'The chat of a session, oldest first.',
  method: 'GET',
  path: '/api/messages/:uid',
  who: inRoom,
  params: z.object({ uid }),
  result: z.object({ data: z.array(chatMessage) }),
});

/** The patient's next visit, or the one of the code where none is ahead (ROUTE-2, ROOM-10); at most one. */
export const listMyVisits = call({
  name: 'listMyVisits',
  summary: 'The signed-in patient’s next visit.',
  method: 'GET',
  path: '/api/my-visits',
  who: ['P'],
  result: z.object({
    data: z.array(
      z.object({
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

/** The calendar entry of a visit; same UID and rising SEQUENCE as in the mails. */
export const getVisitCalendar = call({
  name: 'getVisitCalendar',
  summary: 'The calendar entry of a visit.',
  method: 'GET',
  path: '/api/teleappointments/:uid/calendar',
  who: inRoom,
  params: z.object({ uid }),
  format: 'text/calendar',
});
