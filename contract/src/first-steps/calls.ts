import * as z from 'zod/mini';
import { call } from '../call.ts';

/** The ways of a new clinic to its first visit, in their order. */
export const firstStepNames = ['hours', 'colleagues', 'bookingLink', 'testVisit'] as const;
export type FirstStep = (typeof firstStepNames)[number];

/** Each step is done by what is stored: a rule, a second user, the link was used, a visit of a test patient. */
export const getFirstSteps = call({
  name: 'getFirstSteps',
  summary: 'The first steps of the clinic, and which are done.',
  method: 'GET',
  path: '/api/first-steps',
  who: ['A'],
  result: z.object({
    dismissed: z.boolean(),
    done: z.object({
      hours: z.boolean(),
      colleagues: z.boolean(),
      bookingLink: z.boolean(),
      testVisit: z.boolean(),
    }),
    companyUid: z.string(),
    /** Patients can book by link. */
    genericSchedule: z.boolean(),
  }),
});

export const dismissFirstSteps = call({
  name: 'dismissFirstSteps',
  summary: 'Hides the first steps from all administrators of the clinic.',
  method: 'POST',
  path: '/api/first-steps/dismiss',
  who: ['A'],
});

export const noteBookingLink = call({
  name: 'noteBookingLink',
  summary: 'Notes that the booking link was copied or opened.',
  method: 'POST',
  path: '/api/first-steps/booking-link',
  who: ['A'],
});

/** The patient is marked as a test: nothing is ever sent, and the numbers leave the visit out. */
export const startTestVisit = call({
  name: 'startTestVisit',
  summary: 'Creates a visit now of the caller with themselves as a test patient.',
  method: 'POST',
  path: '/api/first-steps/test-visit',
  who: ['A'],
  result: z.object({ appointmentId: z.int(), appointmentUid: z.string() }),
  creates: true,
  refusals: ['key-reused'],
});
