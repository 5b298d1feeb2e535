import type { NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import type { Selectable } from 'kysely';
import { prepared } from '../../platform/database/prepared.ts';
import type { NotificationLogs } from '../../platform/database/schema.ts';

/** Start (ISO instant) and provider of an appointment. */
export interface Place {
  readonly startsAt: string;
  readonly doctorId: number;
}

type PlaceColumns = 'known_starts_at' | 'known_doctor_id';

/** A message to the patient about an appointment. */
export type PatientMessage = Pick<
  Selectable<NotificationLogs>,
  'state' | 'created_at' | 'sent_at' | 'claimed_until' | 'by_user_id' | PlaceColumns
> & { readonly kind: NotificationKind };

/** The statement that reads the messages to the patient about an appointment, the latest first. */
export const patientMessages = prepared((tx, { appointmentId }: { appointmentId: number | null }) =>
  tx
    .selectFrom('notification_logs')
    .select(['state', 'created_at', 'sent_at', 'claimed_until', 'by_user_id', 'known_starts_at', 'known_doctor_id'])
    .select((eb) => eb.ref('kind').$castTo<NotificationKind>().as('kind'))
    .where('appointment_id', '=', appointmentId)
    .where('patient_id', 'is not', null)
    .orderBy('notification_id', 'desc'),
);

/**
 * Returns the start and provider that the patient knows: the ones before the earliest change since the last message that reached them,
 * or the current ones.
 *
 * @param messages those to the patient, the latest first
 */
export function knownPlace(messages: readonly PatientMessage[], current: Place, now: string): Place {
  const reached = messages.map((message) => reachedAt(message, now)).reduce((a, b) => (a > b ? a : b), '');
  const earliest = messages.findLast((message) => message.created_at > reached && placeBefore(message));
  return (earliest && placeBefore(earliest)) ?? current;
}

/**
 * Returns the start and provider that the patient knows without this message and later ones; null = the message is about no change. It is
 * read whenever the message is about to be sent: an earlier one may have reached the patient, or failed, since it was queued.
 *
 * @param messages those to the patient, the latest first
 */
export function knownBefore(
  messages: readonly PatientMessage[],
  message: Pick<PatientMessage, PlaceColumns | 'kind' | 'created_at' | 'by_user_id'>,
  now: string,
): Place | null {
  const place = placeBefore(message);
  if (!place || isOwnChange(message)) return place;
  const earlier = messages.filter(({ created_at }) => created_at < message.created_at);
  return knownPlace(earlier, place, now);
}

/** Whether {@link knownBefore} depends on an earlier message that is being sent: its delivery may fail. */
export function dependsOnDelivery(
  messages: readonly PatientMessage[],
  message: Parameters<typeof knownBefore>[1],
  now: string,
): boolean {
  const failed = messages.map((other) => ({ ...other, claimed_until: null }));
  const [ifSent, ifFailed] = [knownBefore(messages, message, now), knownBefore(failed, message, now)];
  return ifSent !== null && ifFailed !== null && !isSamePlace(ifSent, ifFailed);
}

/** Returns the start and provider that the patient knew when the appointment was cancelled; undefined = unknown. */
export function knownWhenCancelled(messages: readonly PatientMessage[], now: string): Place | undefined {
  const cancellation = messages.find((message) => message.kind === 'cancelled' && placeBefore(message));
  return (cancellation && knownBefore(messages, cancellation, now)) ?? undefined;
}

/** The start and provider before the change that a message is about. */
const placeBefore = (message: Pick<PatientMessage, PlaceColumns>): Place | null =>
  message.known_starts_at === null || message.known_doctor_id === null
    ? null
    : { startsAt: message.known_starts_at, doctorId: message.known_doctor_id };

/** When the patient learned the place of that time, ISO; '' = not yet. A message that is being sent counts as sent. */
function reachedAt(message: PatientMessage, now: string): string {
  if (isOwnChange(message)) return message.created_at;
  return message.claimed_until !== null && message.claimed_until > now ? now : (message.sent_at ?? '');
}

/** Whether the message confirms what the patient did on the page. */
const isOwnChange = ({ kind, by_user_id }: Pick<PatientMessage, 'kind' | 'by_user_id'>): boolean =>
  by_user_id === null && (kind === 'newTime' || kind === 'cancelled');

export const isSamePlace = (a: Place, b: Place): boolean => a.startsAt === b.startsAt && a.doctorId === b.doctorId;
