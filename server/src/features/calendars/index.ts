import { removeExternalCalendar, saveExternalCalendar } from './external-calendars.ts';
import {
  getClinicFeed,
  getProviderCalendar,
  makeClinicFeed,
  makeProviderFeed,
  removeClinicFeed,
  removeProviderFeed,
} from './feeds.ts';
import { readCalendarFeed } from './read-calendar-feed.ts';

export const calendarCalls = [
  getProviderCalendar,
  makeProviderFeed,
  removeProviderFeed,
  saveExternalCalendar,
  removeExternalCalendar,
  getClinicFeed,
  makeClinicFeed,
  removeClinicFeed,
  readCalendarFeed,
];
