import { type Appointment, type AppointmentBody, appointmentBody } from '@roomside/contract/appointments/calls.ts';
import { durationBounds } from '@roomside/contract/limits.ts';
import { toCents } from '@roomside/contract/money.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import * as z from 'zod/mini';
import { dateOf, timeOf, wallToInstant } from '../../time/time.ts';
import { texts } from './edit-texts.ts';

const body = appointmentBody.shape;
const amountPattern = /^\d{1,8}(\.\d{1,2})?$/;
/** True for a complete amount; false while it is being typed. */
export const isAmount = (text: string): boolean => amountPattern.test(text);
const amount = z.string().check(z.regex(/\S/, fieldTexts.required), z.regex(amountPattern, fieldTexts.notValid));
const fits = (minutes: string) => Number(minutes) >= durationBounds.min && Number(minutes) <= durationBounds.max;

/** The form's values (VALID-4): date and time are the clinic's wall time, the length is text as typed. */
const fields = z.object({
  patientId: body.patientId,
  doctorId: body.doctorId,
  date: z.string().check(z.regex(z.regexes.date, fieldTexts.dateAndTime)),
  time: z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, fieldTexts.dateAndTime)),
  minutes: z.string().check(
    z.refine(fits, {
      error: texts.minutesRange(durationBounds.min, durationBounds.max),
    }),
  ),
  fee: amount,
  collected: amount,
  externalId: body.externalId,
  welcomeMessage: body.welcomeMessage,
  cancelled: body.cancelled,
  cancellationNotes: body.cancellationNotes,
});
export type AppointmentValues = z.infer<typeof fields>;

/**
 * The form of an appointment. More than the fee may be stored, when a refund came back after another payment; it only must not be typed.
 */
export const appointmentForm = (stored: Pick<Appointment, 'fee' | 'collected'>) =>
  fields.check(
    z.refine(
      ({ fee, collected }) =>
        !isAmount(fee) ||
        !isAmount(collected) ||
        toCents(collected) <= toCents(fee) ||
        (fee === stored.fee && collected === stored.collected),
      { error: refusals['collected-above-fee'].text, path: ['collected'] },
    ),
  );

const minutesOf = ({ startDate, endDate }: Appointment) =>
  String(Math.round((Date.parse(endDate) - Date.parse(startDate)) / 60_000));

export function toForm(read: Appointment): AppointmentValues {
  const { timeZone } = read.config;
  return {
    patientId: read.patientId,
    doctorId: read.doctorId,
    date: dateOf(read.startDate, timeZone),
    time: timeOf(read.startDate, timeZone),
    minutes: minutesOf(read),
    fee: read.fee,
    collected: read.collected,
    externalId: read.externalId,
    welcomeMessage: read.welcomeMessage,
    cancelled: read.cancelled,
    cancellationNotes: read.cancellationNotes,
  };
}

/** Whether a date and a time are typed to their end. */
export const isComplete = ({ date, time }: Pick<AppointmentValues, 'date' | 'time'>): boolean =>
  fields.shape.date.safeParse(date).success && fields.shape.time.safeParse(time).success;

/**
 * Returns the instant of a typed date and time in a zone. `known`: instants that were chosen or read. One with the same date and time is taken:
 * the hour that the clocks repeat has two, and a stored start may have seconds.
 */
export function startOf(
  { date, time }: Pick<AppointmentValues, 'date' | 'time'>,
  zone: string,
  known: readonly string[],
): string {
  const isMeant = (start: string) => dateOf(start, zone) === date && timeOf(start, zone) === time;
  return known.find(isMeant) ?? wallToInstant(date, time, zone);
}

/**
 * Returns the body (CALL-4) of `values` typed over `read`. It has amounts only where they were typed, so that an old
 * amount does not undo a payment that was collected meanwhile.
 *
 * @param slot the start that was chosen last
 */
export function toBody(values: AppointmentValues, read: Appointment, slot: string): AppointmentBody {
  const before = toForm(read);
  const { date: _date, time: _time, minutes, fee, collected, ...same } = values;
  return {
    ...same,
    appointmentId: read.appointmentId,
    version: read.version,
    startDate: startOf(values, read.config.timeZone, [slot, read.startDate]),
    ...(read.appointmentId === 0 || minutes !== before.minutes ? { minutes: Number(minutes) } : {}),
    ...(fee === before.fee ? {} : { fee }),
    ...(collected === before.collected ? {} : { collected, collectedBefore: before.collected }),
    // '*' asks for a new code: for a new appointment, an unreadable code, or a cancellation, which ends the old code.
    ...(read.appointmentId === 0 || read.accessCode === '' || (values.cancelled && !read.cancelled)
      ? { accessCode: '*' }
      : {}),
  };
}
