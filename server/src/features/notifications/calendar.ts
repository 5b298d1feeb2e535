import ical, { ICalAttendeeRole, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import type { Context } from '../../platform/context.ts';
import type { AppointmentDetails } from './appointment-details.ts';
import { calendarTexts } from './texts.ts';

export interface VisitCalendar {
  /** iTIP (RFC 5546): what a calendar shall do with it. */
  readonly method: 'REQUEST' | 'PUBLISH' | 'CANCEL';
  /** text/calendar (RFC 5545). */
  readonly content: string;
}

/**
 * The calendar entry of a visit: one UID for all its versions, SEQUENCE rising with each move, times in UTC. It is a
 * request to the patient where there is an email to name him by, else a plain entry (RFC 5546, 3.2.2: a request names
 * its attendees).
 */
export function visitCalendar(
  context: Pick<Context, 'settings' | 'publicUrl'>,
  visit: AppointmentDetails,
  now: string,
): VisitCalendar {
  const { company, patient, link, accessCode, cancelled } = visit;
  const method = cancelled ? 'CANCEL' : patient.email ? 'REQUEST' : 'PUBLISH';
  const calendar = ical({
    prodId: { company: 'Roomside', product: 'Roomside', language: 'EN' },
    method: ICalCalendarMethod[method],
  });
  const event = calendar.createEvent({
    id: `${visit.appointmentUid}@roomside`,
    sequence: visit.calendarSequence,
    stamp: new Date(now),
    start: new Date(visit.startsAt),
    end: new Date(visit.endsAt),
    summary: calendarTexts.summary(company.name),
    status: cancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    organizer: { name: company.name, email: company.supportEmail || senderOf(context) },
  });
  // Cancelling ends the link.
  if (!cancelled) event.url(link).location(link).description(calendarTexts.description(link, accessCode));
  if (patient.email && method !== 'PUBLISH') {
    event.createAttendee({
      ...(patient.verified && { name: `${patient.firstName} ${patient.lastName}` }),
      email: patient.email,
      role: ICalAttendeeRole.REQ,
      // Nobody reads the answers.
      rsvp: false,
    });
  }
  return { method, content: calendar.toString() };
}

/** An organizer needs an address, also where no mail leaves. */
function senderOf({ settings, publicUrl }: Pick<Context, 'settings' | 'publicUrl'>): string {
  return addressOf(settings.MAIL_FROM ?? '') || `noreply@${new URL(publicUrl).hostname}`;
}

/** 'Roomside <visits@example.com>' -> 'visits@example.com'. */
export const addressOf = (sender: string): string => (/<([^<>]+)>/.exec(sender)?.[1] ?? sender).trim();
