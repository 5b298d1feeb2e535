import * as z from 'zod/mini';
import { call } from '../call.ts';
import { staff } from '../permissions.ts';

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
