import type { ResultOf } from '@roomside/contract/call.ts';
import type { listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';

/** The patient's upcoming visits, with what the pages need of the clinic. */
export type MyAppointments = ResultOf<typeof listUpcomingAppointments>;
