import * as z from 'zod/mini';
import { call } from '../call.ts';
import { estimateBounds } from '../limits.ts';
import { staff } from '../permissions.ts';
import { chatText } from '../room/messages.ts';
import { id, uid } from '../shape.ts';
import { deviceCheck } from './device-check.ts';

/** CALL-9, MENU-4: the number of patients present without a provider: of the caller for D, of all providers for A and U. */
export const getArrivedCount = call({
  name: 'getArrivedCount',
  summary: 'The number of patients waiting for a provider.',
  method: 'GET',
  path: '/api/waiting-room/count',
  who: staff,
  result: z.int(),
});

/** A card of the waiting room (WAIT-1). Instants are ISO 8601. */
const arrived = z.object({
  appointmentId: z.int(),
  appointmentUid: z.string(),
  patient: z.object({ firstName: z.string(), lastName: z.string() }),
  doctor: z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() }),
  startDate: z.string(),
  patientPresent: z.string(),
  providerPresent: z.nullable(z.string()),
  /** Staff have asked the patient to stay a little longer. */
  held: z.boolean(),
  /** When the patient can expect the provider. */
  expectedAt: z.nullable(z.string()),
  /** What the patient's device was found to have; null before the check. */
  deviceCheck: z.nullable(deviceCheck),
});
export type Arrived = z.infer<typeof arrived>;

export const listArrived = call({
  name: 'listArrived',
  summary: 'The patients in the waiting room.',
  method: 'GET',
  path: '/api/waiting-room',
  who: staff,
  result: z.object({ data: z.array(arrived), now: z.string() }),
});

/** Shows the caller’s waiting patients (D), or those of one provider or of all (A, U), how long it takes. */
export const announceDelay = call({
  name: 'announceDelay',
  summary: 'Notifies waiting patients in how many minutes they can expect their provider.',
  method: 'POST',
  path: '/api/waiting-room/delay',
  who: staff,
  body: z.object({
    minutes: z.int().check(z.minimum(estimateBounds.min), z.maximum(estimateBounds.max)),
    /** Whose patients; null = of all providers. A provider's own in any case. */
    doctorId: z.nullable(id),
  }),
  /** The number of patients who were notified. */
  result: z.int(),
});

/** Puts a waiting patient on hold, or takes them off hold. */
export const holdPatient = call({
  name: 'holdPatient',
  summary: 'Tells a waiting patient that it takes a little longer.',
  method: 'POST',
  path: '/api/waiting-room/:uid/hold',
  who: staff,
  params: z.object({ uid }),
  body: z.object({ held: z.boolean() }),
  refusals: ['not-waiting'],
});

/** Gives a waiting patient to another provider, beside that provider's other appointments. */
export const handOverPatient = call({
  name: 'handOverPatient',
  summary: 'Gives a waiting patient to another provider.',
  method: 'POST',
  path: '/api/waiting-room/:uid/hand-over',
  who: staff,
  params: z.object({ uid }),
  body: z.object({ doctorId: id }),
  refusals: ['not-waiting', 'appointment-cancelled', 'has-started', 'visit-over'],
});

/** Writes to a waiting patient before anyone joins: a message of the visit's chat. `key` makes a retry harmless. */
export const writeToPatient = call({
  name: 'writeToPatient',
  summary: 'Sends a chat message to a waiting patient.',
  method: 'POST',
  path: '/api/waiting-room/:uid/message',
  who: staff,
  params: z.object({ uid }),
  body: z.pick(chatText, { payload: true, key: true }),
  /** The message's id. */
  result: z.int(),
  refusals: ['not-waiting', 'card-number'],
});

/** The patient's page reports what its device has. */
export const saveDeviceCheck = call({
  name: 'saveDeviceCheck',
  summary: 'Stores what the patient’s camera, microphone, speaker and connection can do.',
  method: 'PUT',
  path: '/api/teleappointments/:uid/device-check',
  who: ['P'],
  unlicensed: 'during-visit',
  params: z.object({ uid }),
  body: deviceCheck,
});
