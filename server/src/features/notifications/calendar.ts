import ical, {
  ICalAttendeeRole,
  type ICalCalendar,
  ICalCalendarMethod,
  type ICalEvent,
  ICalEventStatus,
} from 'ical-generator';
import type { Context } from '../../platform/context.ts';
import { type AppointmentDetails, nameFor } from './appointment-details.ts';
import { calendarTexts } from './texts.ts';

export interface VisitCalendar {
  /** The iTIP method (RFC 5546). */
  readonly method: 'REQUEST' | 'PUBLISH' | 'CANCEL';
  /** text/calendar (RFC 5545). */
  readonly content: string;
}

/**
 * Returns the calendar entry of an appointment: one UID for all its versions, a SEQUENCE that increases with each move,
 * times in UTC. The method is REQUEST for a patient with an email, else PUBLISH: a REQUEST needs attendees (RFC 5546,
 * 3.2.2).
 */
export function visitCalendar(
  context: Pick<Context, 'settings' | 'publicUrl'>,
  appointment: AppointmentDetails,
  now: string,
): VisitCalendar {
  const { company, patient, link, accessCode, cancelled } = appointment;
  const method = cancelled ? 'CANCEL' : patient.email ? 'REQUEST' : 'PUBLISH';
  const calendar = newCalendar(method);
  const event = addVisit(calendar, appointment, now);
  event
    .summary(calendarTexts.summary(company.name))
    .status(cancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED)
    .organizer({ name: company.name, email: company.supportEmail || senderOf(context) });
  // The link of a cancelled appointment no longer works.
  if (!cancelled) event.url(link).location(link).description(calendarTexts.description(link, accessCode));
  if (patient.email && method !== 'PUBLISH') {
    event.createAttendee({
      ...(nameFor(patient) !== '' && { name: nameFor(patient) }),
      email: patient.email,
      role: ICalAttendeeRole.REQ,
      // Replies are not processed.
      rsvp: false,
    });
  }
  return { method, content: calendar.toString() };
}

const newCalendar = (method: VisitCalendar['method']): ICalCalendar =>
  ical({
    prodId: { company: 'Roomside', product: 'Roomside', language: 'EN' },
    method: ICalCalendarMethod[method],
  });

/** What names and places an appointment in every calendar. */
type PlacedVisit = Pick<AppointmentDetails, 'appointmentUid' | 'calendarSequence' | 'startsAt' | 'endsAt'>;

function addVisit(calendar: ICalCalendar, visit: PlacedVisit, now: string): ICalEvent {
  return calendar.createEvent({
    id: `${visit.appointmentUid}@roomside`,
    sequence: visit.calendarSequence,
    stamp: new Date(now),
    start: new Date(visit.startsAt),
    end: new Date(visit.endsAt),
  });
}

/** How often calendar programs are asked to read a feed again, seconds. */
const feedInterval = 15 * 60;

/** Returns a calendar of many appointments with their titles, which programs read again and again. */
export function feedCalendar(
  name: string,
  visits: readonly (PlacedVisit & { readonly title: string })[],
  now: string,
): string {
  const calendar = newCalendar('PUBLISH').name(name).ttl(feedInterval);
  for (const visit of visits) addVisit(calendar, visit, now).summary(visit.title).status(ICalEventStatus.CONFIRMED);
  return calendar.toString();
}

/** Returns the sender's address, or noreply@ at the server's name when no mail server is set: an organizer needs one. */
function senderOf({ settings, publicUrl }: Pick<Context, 'settings' | 'publicUrl'>): string {
  return addressOf(settings.MAIL_FROM ?? '') || `noreply@${new URL(publicUrl).hostname}`;
}

/** 'Roomside <visits@example.com>' -> 'visits@example.com'. */
export const addressOf = (sender: string): string => (/<([^<>]+)>/.exec(sender)?.[1] ?? sender).trim();
