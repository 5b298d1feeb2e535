import { deleteTimeOff } from './delete-time-off.ts';
import { listTimeOff } from './list-time-off.ts';
import { listTimeOffAppointments } from './list-time-off-appointments.ts';
import { saveTimeOff } from './save-time-off.ts';

export const timeOffCalls = [listTimeOff, listTimeOffAppointments, saveTimeOff, deleteTimeOff];
