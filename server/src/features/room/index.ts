import { getTeleappointment } from './get-teleappointment.ts';
import { getVisitCalendar } from './get-visit-calendar.ts';
import { listMessages } from './list-messages.ts';
import { listMyVisits } from './list-my-visits.ts';

export const roomCalls = [getTeleappointment, listMessages, listMyVisits, getVisitCalendar];
