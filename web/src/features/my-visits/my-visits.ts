import type { ResultOf } from '@roomside/contract/call.ts';
import type { listUpcomingVisits } from '@roomside/contract/my-visits/calls.ts';

/** The patient's upcoming visits, with what the pages need of the clinic. */
export type MyVisits = ResultOf<typeof listUpcomingVisits>;
