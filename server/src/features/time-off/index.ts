import { deleteTimeOff } from './delete-time-off.ts';
import { listTimeOff } from './list-time-off.ts';
import { listTimeOffVisits } from './list-time-off-visits.ts';
import { saveTimeOff } from './save-time-off.ts';

export const timeOffCalls = [listTimeOff, listTimeOffVisits, saveTimeOff, deleteTimeOff];
