import type { PatientNotice } from '@roomside/contract/appointments/notification-kinds.ts';
import type { Context } from '../../platform/context.ts';
import type { AppointmentDetails } from './appointment-details.ts';
import { visitCalendar } from './calendar.ts';
import { DeliveryError, type Mail, type TextMessage } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { deliveryTexts, patientTexts as texts } from './texts.ts';
import { inZone, timeFormats } from './zone-words.ts';

const { day, full, short } = timeFormats;

/** What a patient is told by mail: date and time in the clinic's zone, link, code, calendar entry (APPT-3). */
export function patientMail(
  context: Pick<Context, 'settings' | 'publicUrl'>,
  kind: PatientNotice,
  visit: AppointmentDetails,
  id: string,
  now: string,
): Mail {
  requireCode(kind, visit);
  const { company, patient, doctor, startsAt } = visit;
  const begins = isNow(kind, visit);
  const words = begins ? texts.now : texts[kind];
  const isOff = kind === 'cancelled';
  const blocks: Block[] = [
    { text: mayGreet(patient) ? texts.greeting(patient.firstName) : texts.greetingAnyone },
    { text: words.intro(company.name) },
    {
      facts: [
        [texts.doctor, `${doctor.firstName} ${doctor.lastName}`],
        [texts.when, begins ? texts.whenNow : inZone(startsAt, company.timeZone, full)],
      ],
    },
    ...(isOff ? [] : joining(visit)),
    ...(company.supportEmail ? [{ note: texts.help(company.supportEmail) }] : []),
  ];
  return {
    id,
    to: { name: nameFor(patient), address: patient.email },
    replyTo: company.supportEmail,
    subject: words.subject(company.name, inZone(startsAt, company.timeZone, day)),
    ...renderMail(words.title, blocks),
    calendar: visitCalendar(context, visit, now),
  };
}

type Addressee = AppointmentDetails['patient'];

/**
 * Who booked as a stranger may have typed anything, and somebody else's email: of that a message carries the first name at
 * most, if it looks like one.
 */
const mayGreet = ({ anonymous, verified, firstName }: Addressee): boolean =>
  !anonymous && (verified || /^\p{L}[\p{L}\p{M}'’ -]{0,19}$/u.test(firstName));

/** The name beside the address; none for a contact that is not known to be this person's. */
export const nameFor = ({ anonymous, verified, firstName, lastName }: Addressee): string =>
  anonymous || !verified ? '' : `${firstName} ${lastName}`;

/** A visit at once is announced as such; that it was cancelled is said as of any other. */
const isNow = (kind: PatientNotice, { immediate }: AppointmentDetails) => immediate && kind === 'invitation';

/** An invitation without its code is of no use: the appointment's log says why it was not sent. */
function requireCode(kind: PatientNotice, { accessCode }: AppointmentDetails): void {
  if (accessCode === '' && kind !== 'cancelled') throw new DeliveryError(deliveryTexts.codeLost, true);
}

/** Link and code, and what they are good for. */
function joining({ link, accessCode, immediate }: AppointmentDetails): Block[] {
  return [
    { link, label: texts.join },
    { facts: [[texts.code, accessCode]] },
    { text: texts.howTo },
    ...(immediate ? [] : [{ text: texts.early }, { text: texts.change }]),
    { note: texts.private },
  ];
}

/** The same by text message. */
export function patientText(kind: PatientNotice, visit: AppointmentDetails): TextMessage {
  requireCode(kind, visit);
  const { company, link, accessCode, startsAt } = visit;
  const when = inZone(startsAt, company.timeZone, short);
  const words = isNow(kind, visit) ? texts.now : texts[kind];
  return { to: visit.patient.phone, text: words.text(company.name, when, link, accessCode) };
}
