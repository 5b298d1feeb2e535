import { isAboutMoney, type PatientNotice } from '@roomside/contract/appointments/notification-kinds.ts';
import { toCents } from '@roomside/contract/money.ts';
import { hasAddress } from '@roomside/contract/shape.ts';
import type { Context } from '../../platform/context.ts';
import { type AppointmentDetails, nameFor } from './appointment-details.ts';
import { visitCalendar } from './calendar.ts';
import { DeliveryError, type Mail, type TextMessage } from './delivery.ts';
import type { Place } from './known-place.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { deliveryTexts, patientTexts as texts } from './texts.ts';
import { inZone, timeFormats } from './zone-words.ts';

const { day, full, short } = timeFormats;

/**
 * Returns the mail to a patient: date and time in the clinic's zone, link, code, calendar entry (APPT-3).
 *
 * @param known the start and provider that the patient knows; null = of no matter
 * @throws DeliveryError when the access code cannot be decrypted
 */
export function patientMail(
  context: Pick<Context, 'settings' | 'publicUrl'>,
  kind: PatientNotice,
  appointment: AppointmentDetails,
  { known, id, now }: { known: Place | null; id: string; now: string },
): Mail {
  requireCode(kind, appointment);
  const { company, patient, startsAt } = appointment;
  const doctor = doctorOf(appointment);
  const startsNow = isInstantInvitation(kind, appointment);
  const words = wordsOf(kind, appointment, known);
  const blocks: Block[] = [
    { text: mayGreet(patient) ? texts.greeting(patient.firstName) : texts.greetingAnyone },
    { text: words.intro(company.name, doctor) },
    {
      facts: [
        [texts.doctor, doctor],
        [texts.when, startsNow ? texts.whenNow : inZone(startsAt, company.timeZone, full)],
        ...moneyFacts(kind, appointment),
      ],
    },
    ...(hasLink(kind, appointment) ? joinBlocks(appointment) : []),
    ...(company.supportEmail ? [{ note: texts.help(company.supportEmail) }] : []),
  ];
  return {
    id,
    to: { name: nameFor(patient), address: patient.email },
    replyTo: company.supportEmail,
    subject: words.subject(company.name, inZone(startsAt, company.timeZone, day)),
    ...renderMail(words.title, blocks),
    calendar: visitCalendar(context, appointment, now),
  };
}

/** The link of a cancelled appointment no longer works. */
const hasLink = (kind: PatientNotice, { cancelled, accessCode }: AppointmentDetails): boolean =>
  isAboutMoney(kind) ? kind === 'receipt' && !cancelled && accessCode !== '' : kind !== 'cancelled';

/** What was paid or returned, in the company's currency. */
function moneyFacts(kind: PatientNotice, { money }: AppointmentDetails): [string, string][] {
  const words = (amount: string) =>
    new Intl.NumberFormat('en-US', { style: 'currency', currency: money.currency }).format(amount as `${number}`);
  if (kind === 'receipt') return [[texts.paid, words(money.paid)]];
  if (kind === 'refundFailed') return [[texts.notRefunded, words(money.returned)]];
  if (kind !== 'refunded') return [];
  return [
    [texts.refundedAmount, words(money.refunded)],
    ...(toCents(money.refundedByHand) > 0
      ? [[texts.refundedByHand, words(money.refundedByHand)] satisfies [string, string]]
      : []),
  ];
}

type Addressee = AppointmentDetails['patient'];

/**
 * Whether the mail greets by first name. A name with an address would become a link, so it is not used. The name and email of an unverified
 * booking may be another person's or advertising, so its first name is used only if it is short and contains nothing but letters, marks and
 * name punctuation.
 */
const mayGreet = ({ anonymous, verified, firstName }: Addressee): boolean =>
  !anonymous && !hasAddress(firstName) && (verified || /^\p{L}[\p{L}\p{M}'’ -]{0,19}$/u.test(firstName));

/** Whether the message is the invitation to an instant appointment, which has other texts. */
const isInstantInvitation = (kind: PatientNotice, { immediate }: AppointmentDetails) =>
  immediate && kind === 'invitation';

function wordsOf(kind: PatientNotice, appointment: AppointmentDetails, known: Place | null) {
  if (isInstantInvitation(kind, appointment)) return texts.now;
  const isNewProvider =
    known !== null && known.startsAt === appointment.startsAt && known.doctorId !== appointment.doctorId;
  return kind === 'newTime' && isNewProvider ? texts.newProvider : texts[kind];
}

const doctorOf = ({ doctor }: AppointmentDetails): string => `${doctor.firstName} ${doctor.lastName}`;

/** A message without the access code would be useless: it is not sent, and staff see the reason. */
function requireCode(kind: PatientNotice, { accessCode }: AppointmentDetails): void {
  if (accessCode === '' && !isAboutMoney(kind) && kind !== 'cancelled')
    throw new DeliveryError(deliveryTexts.codeUnreadable, true);
}

/** Link, code and how to use them. */
function joinBlocks({ link, accessCode, immediate }: AppointmentDetails): Block[] {
  return [
    { link, label: texts.join },
    { facts: [[texts.code, accessCode]] },
    { text: texts.howTo },
    ...(immediate ? [] : [{ text: texts.early }, { text: texts.change }]),
    { note: texts.private },
  ];
}

/** Returns the text message to a patient; parameters and errors like those of {@link patientMail}. */
export function patientText(kind: PatientNotice, appointment: AppointmentDetails, known: Place | null): TextMessage {
  requireCode(kind, appointment);
  const { company, link, accessCode, startsAt } = appointment;
  const when = inZone(startsAt, company.timeZone, short);
  const words = wordsOf(kind, appointment, known);
  return {
    to: appointment.patient.phone,
    text: words.text(company.name, when, link, accessCode, doctorOf(appointment)),
  };
}
