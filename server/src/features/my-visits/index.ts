import { cancelMyVisit } from './cancel-my-visit.ts';
import { listMySlots } from './list-my-slots.ts';
import { listUpcomingVisits } from './list-upcoming-visits.ts';
import { moveMyVisit } from './move-my-visit.ts';

export const myVisitCalls = [listUpcomingVisits, listMySlots, moveMyVisit, cancelMyVisit];
