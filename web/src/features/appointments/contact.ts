import { getPatient, type PatientBody } from '@roomside/contract/patients/calls.ts';
import { send } from '../../api/send.ts';
import { dateOf, formatLongDate, formatTime, ownZone } from '../../time/time.ts';
import { formatPhone } from '../../ui/phone.ts';

/** The person a message goes to, and how. */
interface Contact {
  name: string;
  /** 'zoe@patients.test · (212) 555-0100'; '' = neither exists. */
  ways: string;
}

type Contacts = Pick<PatientBody, 'firstName' | 'lastName' | 'email' | 'patientPhones'>;

/** Reads where messages to the patient go. Undefined when that fails; the dialog then leaves it out. */
export async function readContact(patientId: number): Promise<Contact | undefined> {
  const patient = await send(getPatient, { params: { patientId } }).catch(() => undefined);
  return patient && contactOf(patient);
}

/** Where messages to the patient go. */
export function contactOf({ firstName, lastName, email, patientPhones }: Contacts): Contact {
  const phone = patientPhones[0]?.phone ?? '';
  // Keeps a number on one line.
  const whole = formatPhone(phone).replace(' ', '\u00a0').replace('-', '\u2011');
  return { name: `${firstName} ${lastName}`, ways: [email, whole].filter(Boolean).join(' · ') };
}

/** 'Tuesday, November 24, 2026, 9:00 AM' in clinic time, with the zone where the reader's differs. */
export const whenIs = (startDate: string, zone: string): string =>
  `${formatLongDate(dateOf(startDate, zone))}, ${formatTime(startDate, zone, ownZone())}`;
