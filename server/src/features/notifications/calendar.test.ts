import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { readSettings } from '../../platform/settings.ts';
import type { AppointmentDetails } from './appointment-details.ts';
import { visitCalendar } from './calendar.ts';

const context = { settings: readSettings({}), publicUrl: 'https://visits.example.test' };
const now = '2026-03-01T10:00:00.000Z';
const uid = '0123456789abcdef0123456789abcdef';
const appointment: AppointmentDetails = {
  appointmentId: 5,
  appointmentUid: uid,
  patientId: 7,
  startsAt: '2026-03-08T06:30:00.000Z',
  endsAt: '2026-03-08T07:15:00.000Z',
  doctorId: 3,
  immediate: false,
  cancelled: false,
  isTest: false,
  calendarSequence: 3,
  accessCode: 'abcDEF234567',
  link: 'https://visits.example.test/#/link/abcDEF234567',
  patient: {
    firstName: 'Séan',
    lastName: `O'Neil; "Jr", \\ & Sons`,
    anonymous: false,
    verified: true,
    email: 'sean@example.test',
    phone: '',
  },
  doctor: { firstName: 'Dana', lastName: 'Doctor' },
  money: { currency: 'USD', paid: '0.00', refunded: '0.00', refundedByHand: '0.00', returned: '0.00' },
  company: {
    name: 'Smith, Jones; & Partners’ <Clinic> of the Long Street by the River and the Old Mill',
    address: 'https://visits.example.test',
    timeZone: 'America/New_York',
    supportEmail: 'help@clinic.test',
    disabled: false,
    remindBeforeMin: 30,
  },
};

function read(changes: Partial<AppointmentDetails> = {}) {
  const { content, method } = visitCalendar(context, { ...appointment, ...changes }, now);
  const calendar = new ICAL.Component(ICAL.parse(content) as unknown[]);
  const component = calendar.getFirstSubcomponent('vevent')!;
  return { content, method, calendar, component, event: new ICAL.Event(component) };
}

test('calendar entry: another parser reads its UID, sequence, UTC times and link', () => {
  const { content, method, calendar, component, event } = read();
  expect(method).toBe('REQUEST');
  expect(calendar.getFirstPropertyValue('method')).toBe('REQUEST');
  expect(event.uid).toBe(`${uid}@roomside`);
  expect(event.sequence).toBe(3);
  expect(content).toContain('DTSTART:20260308T063000Z\r\n');
  expect(event.startDate.toJSDate().toISOString()).toBe(appointment.startsAt);
  expect(event.endDate.toJSDate().toISOString()).toBe(appointment.endsAt);
  expect(component.getFirstPropertyValue('dtstamp')?.toString()).toBe('2026-03-01T10:00:00Z');
  expect(event.summary).toBe(`Video visit with ${appointment.company.name}`);
  expect(event.description).toBe(`Join: ${appointment.link}\nAccess code: ${appointment.accessCode}`);
  expect(component.getFirstPropertyValue('url')).toBe(appointment.link);
  expect(component.getFirstPropertyValue('organizer')).toBe('mailto:help@clinic.test');
  expect(event.attendees.map((attendee) => String(attendee.getFirstValue()).toLowerCase())).toEqual([
    'mailto:sean@example.test',
  ]);
});

test('calendar entry: lines have at most 75 bytes and end with CRLF', () => {
  const { content } = read();
  const lines = content.split('\r\n');
  expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
  expect(content.replaceAll('\r\n', '')).not.toContain('\n');
});

test('calendar entry: has the method PUBLISH and no attendees for a patient without an email', () => {
  const { method, event, component } = read({ patient: { ...appointment.patient, email: '' } });
  expect(method).toBe('PUBLISH');
  expect(event.attendees).toEqual([]);
  expect(component.getFirstPropertyValue('url')).toBe(appointment.link);
});

test('calendar entry: has the method CANCEL and no access code for a cancelled appointment', () => {
  const { calendar, component, content } = read({ cancelled: true });
  expect(calendar.getFirstPropertyValue('method')).toBe('CANCEL');
  expect(component.getFirstPropertyValue('status')).toBe('CANCELLED');
  expect(content).not.toContain(appointment.accessCode);
});

test('calendar entry: without a support email the organizer is the mail sender, else noreply at the server’s name', () => {
  const organizer = (settings: Record<string, string>) => {
    const company = { ...appointment.company, supportEmail: '' };
    const { content } = visitCalendar(
      { ...context, settings: readSettings(settings) },
      { ...appointment, company },
      now,
    );
    return new ICAL.Component(ICAL.parse(content) as unknown[])
      .getFirstSubcomponent('vevent')!
      .getFirstPropertyValue('organizer');
  };
  expect(organizer({ MAIL_FROM: 'Visits <visits@clinic.test>' })).toBe('mailto:visits@clinic.test');
  expect(organizer({})).toBe('mailto:noreply@visits.example.test');
});
