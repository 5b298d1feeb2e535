import type { UserNotice } from '@roomside/contract/appointments/notification-kinds.ts';
import { hasAddress } from '@roomside/contract/shape.ts';
import type { AppointmentDetails } from './appointment-details.ts';
import type { Mail, TextMessage } from './delivery.ts';
import { renderMail } from './mail-frame.ts';
import { userTexts as texts } from './texts.ts';
import { inZone, timeFormats } from './zone-words.ts';

/** The user who gets the message. */
export interface Recipient {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
}

/** The values in a message about a waiting patient; the name is a first name and an initial, unless it contains an address. */
function facts(appointment: AppointmentDetails) {
  const { patient, doctor, company, startsAt } = appointment;
  return {
    patient: hasAddress(patient.firstName) ? texts.aPatient : `${patient.firstName} ${patient.lastName.slice(0, 1)}.`,
    doctor: `${doctor.firstName} ${doctor.lastName}`,
    time: inZone(startsAt, company.timeZone, timeFormats.time),
    link: `${company.address}/#/waiting-room`,
  };
}

export function userMail(kind: UserNotice, appointment: AppointmentDetails, to: Recipient, id: string): Mail {
  const { patient, doctor, time, link } = facts(appointment);
  const words = texts[kind];
  const blocks = [{ text: words.body(patient, doctor, time) }, { link, label: texts.open }, { note: texts.why }];
  return {
    id,
    to: { name: `${to.firstName} ${to.lastName}`, address: to.email },
    replyTo: '',
    subject: words.subject(appointment.company.name),
    ...renderMail(words.title, blocks),
    calendar: null,
  };
}

export function userText(kind: UserNotice, appointment: AppointmentDetails, to: Recipient): TextMessage {
  const { patient, doctor, time, link } = facts(appointment);
  return { to: to.phone, text: `${texts[kind].body(patient, doctor, time)} ${link}` };
}
