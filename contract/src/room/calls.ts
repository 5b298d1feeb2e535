import * as z from 'zod/mini';
import { call } from '../call.ts';
import { guestSender } from '../guests/guest.ts';
import { inRoom } from '../permissions.ts';
import { uid } from '../shape.ts';
import { recordingState } from './recording-calls.ts';

/** Staff and the patient: a guest has the room only. */
const inVisit = ['A', 'D', 'U', 'P'] as const;

/**
 * ENTITY-19. A guest gets the names and times only: ids of records, texts and amounts are empty. The ids of peers, by which the hub sends
 * (ENTITY-18), have the number of their person; a guest's rights do not reach a record by it.
 * `limit` is in minutes, 0 = none; the credentials of `iceServers` expire.
 */
export const getTeleappointment = call({
  name: 'getTeleappointment',
  summary: 'The data of a room.',
  method: 'GET',
  path: '/api/teleappointments/:uid',
  who: inRoom,
  unlicensed: 'during-visit',
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
      /** Staff have ended the visit; the room is closed for the patient. */
      ended: z.boolean(),
      chargeable: z.boolean(),
      welcomeMessage: z.string(),
      recorded: z.boolean(),
      /** The visit's duration so far, seconds. */
      duration: z.int(),
    }),
    /** The state of the wait: on hold, or when the provider is expected. */
    waiting: z.object({ held: z.boolean(), expectedAt: z.nullable(z.string()) }),
    companyName: z.string(),
    timeZone: z.string(),
    supportEmail: z.string(),
    limit: z.int(),
    /** When this user first entered the room, from which CONST-7 counts; null before, for patients and for guests. */
    joinedAt: z.nullable(z.string()),
    canRecord: z.boolean(),
    recording: recordingState,
    iceServers: z.array(
      z.object({
        urls: z.union([z.string(), z.array(z.string())]),
        username: z.optional(z.string()),
        credential: z.optional(z.string()),
      }),
    ),
    /** The caller's own peer id, `{role}_{userId}_{sn}`. */
    peerId: z.string(),
    /** The server's time, so that timers do not depend on the device's clock. */
    now: z.string(),
  }),
});
export type Teleappointment = z.infer<NonNullable<typeof getTeleappointment.result>>;

/** ENTITY-17. `messageId` is set when the message is stored; `key` is the sender's idempotency key. */
const chatMessage = z.object({
  type: z.literal(1),
  session: z.string(),
  messageId: z.int(),
  key: z.string(),
  userId: z.nullable(z.int()),
  patientId: z.nullable(z.int()),
  user: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  patient: z.nullable(z.object({ firstName: z.string(), lastName: z.string() })),
  /** The author, when a guest's; `user` and `patient` are null then. */
  guest: z.optional(guestSender),
  payload: z.string(),
  date: z.string(),
});
export type ChatMessage = z.infer<typeof chatMessage>;

export const listMessages = call({
  name: 'listMessages',
  summary: 'The chat of a room, oldest first.',
  method: 'GET',
  path: '/api/messages/:uid',
  who: inRoom,
  unlicensed: 'during-visit',
  params: z.object({ uid }),
  result: z.object({ data: z.array(chatMessage) }),
});

/** A part, 0 to 1. */
const part = z.number().check(z.minimum(0), z.maximum(1));
/** ms, at most a minute. */
const delay = z.int().check(z.minimum(0), z.maximum(60_000));
const count = z.int().check(z.minimum(0), z.maximum(1_000_000));

/**
 * How the media of the other peers arrived at one page, from its load to now. Averages and worst values are of samples of 2 s. `concealed`:
 * the part of the sound that was made up for lost packets. `interruptions`: lost connections that the user was notified of;
 * `restarts`: attempts to recover them. `page`: names the load of the page.
 */
const visitQuality = z.object({
  page: z.uuid(),
  lossAverage: part,
  lossWorst: part,
  rttAverageMs: delay,
  rttWorstMs: delay,
  jitterAverageMs: delay,
  jitterWorstMs: delay,
  concealedAverage: part,
  concealedWorst: part,
  freezes: count,
  /** A TURN server was between the peers. */
  relayed: z.boolean(),
  interruptions: count,
  restarts: count,
  goodSeconds: count,
  fairSeconds: count,
  poorSeconds: count,
});
export type VisitQuality = z.infer<typeof visitQuality>;

/** Stores the quality so far; a later one of the same page replaces it. */
export const saveVisitQuality = call({
  name: 'saveVisitQuality',
  summary: 'Stores how sound and video arrived at the caller’s page.',
  method: 'POST',
  path: '/api/teleappointments/:uid/quality',
  who: inVisit,
  unlicensed: 'during-visit',
  params: z.object({ uid }),
  body: visitQuality,
});

/** The sums of the side with the worse connection; null when nothing was measured. */
export const getVisitQuality = call({
  name: 'getVisitQuality',
  summary: 'How sound and video arrived in a visit.',
  method: 'GET',
  path: '/api/teleappointments/:uid/quality',
  who: ['A', 'D', 'U'],
  params: z.object({ uid }),
  result: z.object({
    data: z.nullable(
      z.object({
        goodSeconds: z.int(),
        fairSeconds: z.int(),
        poorSeconds: z.int(),
        interruptions: z.int(),
        relayed: z.boolean(),
      }),
    ),
  }),
});

/** The calendar entry of an appointment, with the same UID and increasing SEQUENCE as in mails. */
export const getVisitCalendar = call({
  name: 'getVisitCalendar',
  summary: 'The calendar entry of an appointment.',
  method: 'GET',
  path: '/api/teleappointments/:uid/calendar',
  who: inVisit,
  params: z.object({ uid }),
  format: 'text/calendar',
});
