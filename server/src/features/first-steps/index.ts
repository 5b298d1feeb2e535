import { dismissFirstSteps } from './dismiss-first-steps.ts';
import { getFirstSteps } from './get-first-steps.ts';
import { noteBookingLink } from './note-booking-link.ts';
import { startTestVisit } from './start-test-visit.ts';

export const firstStepCalls = [getFirstSteps, dismissFirstSteps, noteBookingLink, startTestVisit];
