import type { UserNotice } from '@roomside/contract/appointments/notification-kinds.ts';
import type { Context } from '../../platform/context.ts';
import type { AppointmentDetails } from './appointment-details.ts';
import type { Mail, TextMessage } from './delivery.ts';
import { renderMail } from './mail-frame.ts';
import { userTexts as texts } from './texts.ts';
import { inZone, timeFormats } from './zone-words.ts';

/** A user who is told. */
export interface Recipient {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
}

/** What staff are told of a patient who waits: a first name and an initial, never in the subject. */
function facts(visit: AppointmentDetails) {
  const { patient, doctor, company, startsAt } = visit;
  return {
    patient: `${patient.firstName} ${patient.lastName.slice(0, 1)}.`,
    doctor: `${doctor.firstName} ${doctor.lastName}`,
    time: inZone(startsAt, company.timeZone, timeFormats.time),
  };
}

export function userMail(
  context: Pick<Context, 'publicUrl'>,
  kind: UserNotice,
  visit: AppointmentDetails,
  to: Recipient,
  id: string,
): Mail {
  const { patient, doctor, time } = facts(visit);
  const words = texts[kind];
  const blocks = [
    { text: words.body(patient, doctor, time) },
    { link: `${context.publicUrl}/#/waiting-room`, label: texts.open },
    { note: texts.why },
  ];
  return {
    id,
    to: { name: `${to.firstName} ${to.lastName}`, address: to.email },
    replyTo: '',
    subject: words.subject(visit.company.name),
    ...renderMail(words.title, blocks),
    calendar: null,
  };
}

export function userText(
  context: Pick<Context, 'publicUrl'>,
  kind: UserNotice,
  visit: AppointmentDetails,
  to: Recipient,
): TextMessage {
  const { patient, doctor, time } = facts(visit);
  return { to: to.phone, text: `${texts[kind].body(patient, doctor, time)} ${context.publicUrl}/#/waiting-room` };
}
