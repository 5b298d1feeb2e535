import { getFirstSteps } from '@roomside/contract/first-steps/calls.ts';
import { getScheduleSettings, listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { getUser, listDoctors, listUsers } from '@roomside/contract/users/calls.ts';

/** Calls whose results change with a user: also the providers of calendars, rules and appointments, and the first steps of a clinic. */
export const userReads = [
  listUsers,
  getUser,
  listDoctors,
  getScheduleSettings,
  listSchedule,
  listSlots,
  getFirstSteps,
] as const;
