import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { providers } from '../permissions.ts';
import { id, requiredLine } from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { calendarProblemCodes } from './problems.ts';

/** A feed. Its address is shown only when it is made. Instants ISO 8601. */
const feed = z.object({
  createdAt: z.string(),
  showsInitials: z.boolean(),
  /** When a calendar program last asked, to some minutes; null = never. */
  readAt: z.nullable(z.string()),
});
export type Feed = z.infer<typeof feed>;

const external = z.object({
  /** The host of the address, which itself is a secret. */
  host: z.string(),
  /** When its events were last read. */
  readAt: z.string(),
  /** Since when it cannot be read, and why; both null = it can. The busy times stay as they were last read. */
  failedAt: z.nullable(z.string()),
  problem: z.nullable(z.enum(calendarProblemCodes)),
  /** The number of upcoming busy times. */
  busy: z.int(),
});
export type ExternalCalendar = z.infer<typeof external>;

const choice = z.object({ showsInitials: z.boolean() });
/** https, ends in `.ics`. */
const made = z.object({ address: z.string() });
const ofUser = z.object({ userId: id });

/** Providers for themselves, administrators for every provider of the company. */
export const getProviderCalendar = call({
  name: 'getProviderCalendar',
  summary: 'The calendar feed and the external calendar of a provider.',
  method: 'GET',
  path: '/api/users/:userId/calendar',
  who: providers,
  params: ofUser,
  result: z.object({ feed: z.nullable(feed), external: z.nullable(external) }),
});

export const createProviderFeed = call({
  name: 'createProviderFeed',
  summary: 'Makes the secret address of a provider’s calendar feed. An earlier one ends.',
  method: 'POST',
  path: '/api/users/:userId/calendar/feed',
  who: providers,
  params: ofUser,
  body: choice,
  result: made,
});

/** The address stays. */
export const changeProviderFeed = call({
  name: 'changeProviderFeed',
  summary: 'Changes what a provider’s calendar feed shows.',
  method: 'PUT',
  path: '/api/users/:userId/calendar/feed',
  who: providers,
  params: ofUser,
  body: choice,
});

export const removeProviderFeed = call({
  name: 'removeProviderFeed',
  summary: 'Ends a provider’s calendar feed.',
  method: 'DELETE',
  path: '/api/users/:userId/calendar/feed',
  who: providers,
  params: ofUser,
});

export const externalCalendarBody = z.object({ address: requiredLine(limits.calendarAddress) });

/** Reads the calendar before it is saved; a problem is an error of the field `address`. */
export const saveExternalCalendar = call({
  name: 'saveExternalCalendar',
  summary: 'Saves the address of the external calendar whose events are time off of a provider.',
  method: 'PUT',
  path: '/api/users/:userId/calendar/external',
  who: providers,
  params: ofUser,
  body: externalCalendarBody,
  result: external,
});

export const removeExternalCalendar = call({
  name: 'removeExternalCalendar',
  summary: 'Removes a provider’s external calendar with its busy times.',
  method: 'DELETE',
  path: '/api/users/:userId/calendar/external',
  who: providers,
  params: ofUser,
});

export const getClinicFeed = call({
  name: 'getClinicFeed',
  summary: 'The calendar feed of all appointments of the clinic.',
  method: 'GET',
  path: '/api/company/calendar-feed',
  who: ['A'],
  result: z.object({ feed: z.nullable(feed) }),
});

export const createClinicFeed = call({
  name: 'createClinicFeed',
  summary: 'Makes the secret address of the clinic’s calendar feed. An earlier one ends.',
  method: 'POST',
  path: '/api/company/calendar-feed',
  who: ['A'],
  body: choice,
  result: made,
});

/** The address stays. */
export const changeClinicFeed = call({
  name: 'changeClinicFeed',
  summary: 'Changes what the clinic’s calendar feed shows.',
  method: 'PUT',
  path: '/api/company/calendar-feed',
  who: ['A'],
  body: choice,
});

export const removeClinicFeed = call({
  name: 'removeClinicFeed',
  summary: 'Ends the clinic’s calendar feed.',
  method: 'DELETE',
  path: '/api/company/calendar-feed',
  who: ['A'],
});

/** Answers 404 alike for an unknown secret, a removed feed, a disabled provider, and a clinic that is disabled or expired. */
export const readCalendarFeed = call({
  name: 'readCalendarFeed',
  summary: 'The appointments of a feed’s secret address, for calendar programs.',
  method: 'GET',
  path: '/api/calendar/:file',
  who: 'anyone',
  params: z.object({ file: z.string().check(z.regex(/^[\w-]{43}\.ics$/, fieldTexts.notValid)) }),
  format: 'text/calendar',
  refusals: ['too-many'],
});
