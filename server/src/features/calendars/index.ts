import { removeExternalCalendar, saveExternalCalendar } from './external-calendars.ts';
import {
  changeClinicFeed,
  changeProviderFeed,
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
  changeProviderFeed,
  removeProviderFeed,
  saveExternalCalendar,
  removeExternalCalendar,
  getClinicFeed,
  makeClinicFeed,
  changeClinicFeed,
  removeClinicFeed,
  readCalendarFeed,
];
