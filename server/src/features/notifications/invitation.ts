import type { Context } from '../../platform/context.ts';
import { visitCalendar } from './calendar.ts';
import type { Mail, TextMessage } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { invitationTexts as texts } from './texts.ts';
import type { VisitDetails } from './visit-details.ts';

type Parts = Intl.DateTimeFormatOptions;

/** Words for an instant in the clinic's zone, with plain spaces: the narrow one of newer ICUs is not plain text. */
function inZone(instant: string, timeZone: string, parts: Parts): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, ...parts }).format(new Date(instant)).replace(/\u202f/g, ' ');
}

const day: Parts = { weekday: 'long', month: 'long', day: 'numeric' };
const full: Parts = { ...day, year: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'long' };
const short: Parts = {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

/** The patient's invitation by mail (APPT-3): date and time in the clinic's zone, link, code, calendar entry. */
export function invitationMail(
  context: Pick<Context, 'settings' | 'publicUrl'>,
  visit: VisitDetails,
  id: string,
  now: string,
): Mail {
  const { company, patient, doctor, startsAt, immediate } = visit;
  const blocks: Block[] = [
    { text: patient.anonymous ? texts.greetingAnyone : texts.greeting(patient.firstName) },
    { text: immediate ? texts.now(company.name) : texts.planned(company.name) },
    {
      facts: [
        [texts.doctor, `${doctor.firstName} ${doctor.lastName}`],
        [texts.when, immediate ? texts.whenNow : inZone(startsAt, company.timeZone, full)],
      ],
    },
    { link: visit.link, label: texts.join },
    { facts: [[texts.code, visit.accessCode]] },
    { text: texts.howTo },
    ...(immediate ? [] : [{ text: texts.early }]),
    { note: texts.private },
    ...(company.supportEmail ? [{ note: texts.help(company.supportEmail) }] : []),
  ];
  return {
    id,
    to: { name: patient.anonymous ? '' : `${patient.firstName} ${patient.lastName}`, address: patient.email },
    replyTo: company.supportEmail,
    subject: immediate
      ? texts.subjectNow(company.name)
      : texts.subject(company.name, inZone(startsAt, company.timeZone, day)),
    ...renderMail(texts.title, blocks),
    calendar: visitCalendar(context, visit, now),
  };
}

/** The patient's invitation by text message. */
export function invitationText(visit: VisitDetails): TextMessage {
  const { company, link, accessCode, startsAt, immediate } = visit;
  const text = immediate
    ? texts.textNow(company.name, link, accessCode)
    : texts.text(company.name, inZone(startsAt, company.timeZone, short), link, accessCode);
  return { to: visit.patient.phone, text };
}
