import { removeExternalCalendar, saveExternalCalendar } from './external-calendars.ts';
import {
  changeClinicFeed,
  changeProviderFeed,
  createClinicFeed,
  createProviderFeed,
  getClinicFeed,
  getProviderCalendar,
  removeClinicFeed,
  removeProviderFeed,
} from './feeds.ts';
import { readCalendarFeed } from './read-calendar-feed.ts';

export const calendarCalls = [
  getProviderCalendar,
  createProviderFeed,
  changeProviderFeed,
  removeProviderFeed,
  saveExternalCalendar,
  removeExternalCalendar,
  getClinicFeed,
  createClinicFeed,
  changeClinicFeed,
  removeClinicFeed,
  readCalendarFeed,
];
