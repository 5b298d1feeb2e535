import { getScheduleSettings } from './get-schedule-settings.ts';
import { listSchedule } from './list-schedule.ts';
import { listSlots } from './list-slots.ts';

export const scheduleCalls = [getScheduleSettings, listSchedule, listSlots];
