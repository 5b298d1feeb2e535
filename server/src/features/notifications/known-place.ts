import { isAboutMoney, type NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import type { Selectable } from 'kysely';
import { prepared } from '../../platform/database/prepared.ts';
import type { NotificationLogs } from '../../platform/database/schema.ts';

/** Start (ISO instant) and provider of an appointment. */
export interface Place {
  readonly startsAt: string;
  readonly doctorId: number;
}

const columns = [
  'notification_id',
  'method',
  'due_at',
  'state',
  'claimed_until',
  'held_until',
  'by_user_id',
  'named_at',
  'named_starts_at',
  'named_doctor_id',
] as const;

/** A message to the patient about an appointment. */
export type PatientMessage = Pick<Selectable<NotificationLogs>, (typeof columns)[number]> & {
  readonly kind: NotificationKind;
};

/** The statement that reads the messages to an appointment's patient, the latest first. */
export const patientMessages = prepared((tx, { appointmentId }: { appointmentId: number | null }) =>
  tx
    .selectFrom('notification_logs')
    .select(columns)
    .select((eb) => eb.ref('kind').$castTo<NotificationKind>().as('kind'))
    .where('appointment_id', '=', appointmentId)
    .where('patient_id', '=', (eb) =>
      eb.selectFrom('appointments').select('patient_id').where('appointment_id', '=', appointmentId),
    )
    .orderBy('notification_id', 'desc'),
);

/** What a patient knows about an appointment. */
export interface Known {
  /** The start and provider of the last message that was sent, or of the patient's own last change; null = none, or cancelled. */
  readonly place: Place | null;
  /** Those of later messages that may have arrived: each is being sent, or its server's reply was lost. null = cancelled. */
  readonly possible: readonly (Place | null)[];
}

/** Returns what a patient knows from these messages, in any order. */
export function knownFrom(messages: readonly PatientMessage[]): Known {
  let known: Known = { place: null, possible: [] };
  let isNotified = false;
  for (const message of inOrder(messages)) {
    if (isAboutMoney(message.kind)) {
      // It names the start in passing, and only a patient who has paid on its page expects a visit because of it.
      if (isAware(known)) known = { ...known, possible: [...known.possible, message.place] };
      else if (message.kind === 'receipt' && !isNotified) known = { place: message.place, possible: [] };
      continue;
    }
    isNotified = true;
    const place = message.kind === 'cancelled' ? null : message.place;
    known = isCertain(message) ? { place, possible: [] } : { ...known, possible: [...known.possible, place] };
  }
  return known;
}

/** Whether the patient may know of the appointment. */
export const isAware = ({ place, possible }: Known): boolean => [place, ...possible].some((one) => one !== null);

/** Whether the patient may expect another start or provider. */
export const expectsOther = ({ place, possible }: Known, current: Place): boolean =>
  [place, ...possible].some((one) => one !== null && !isSamePlace(one, current));

/**
 * Returns the start and provider from which a message about a change begins: the certain ones, or the last possible ones if those are over; null =
 * the patient knows of none.
 */
export function placeKnown({ place, possible }: Known, isOver: (of: Place) => boolean = () => false): Place | null {
  const places = [place, ...possible.toReversed()].filter((one) => one !== null);
  return places.find((one) => !isOver(one)) ?? places[0] ?? null;
}

/** Whether an appointment of this length at another start is over. */
export const isOverAt =
  ({ startsAt, endsAt }: { readonly startsAt: string; readonly endsAt: string }, now: string) =>
  (at: Pick<Place, 'startsAt'>): boolean =>
    Date.parse(at.startsAt) + Date.parse(endsAt) - Date.parse(startsAt) <= Date.parse(now);

/**
 * Returns the start and provider of which a change by staff notifies the patient; null = it does not, since the patient knows of no appointment
 * and no message is on its way. After a cancellation that was sent, a restored appointment needs another invitation.
 *
 * @param messages those to the patient, the latest first
 */
export function placeNotified(
  messages: readonly PatientMessage[],
  current: Place & { readonly endsAt: string },
  now: string,
): Place | null {
  const next = messages.find(({ kind, state }) => state === 'queued' && !isAboutMoney(kind));
  const isOnItsWay = next !== undefined && next.kind !== 'cancelled';
  return placeKnown(knownFrom(messages), isOverAt(current, now)) ?? (isOnItsWay ? current : null);
}

/** Returns the starts and providers that the patient may expect; empty = a change by staff notifies no one. As {@link placeNotified}. */
export function placesExpected(
  messages: readonly PatientMessage[],
  current: Place & { readonly endsAt: string },
  now: string,
): readonly Place[] {
  const notified = placeNotified(messages, current, now);
  if (notified === null) return [];
  const { place, possible } = knownFrom(messages);
  const known = [place, ...possible].filter((one) => one !== null);
  return known.length > 0 ? known : [notified];
}

/** Returns the start and provider of which the patient was notified last, also by a cancellation; undefined = none. */
export const lastNamed = (messages: readonly PatientMessage[]): Place | undefined =>
  (notices(messages).findLast(isCertain) ?? notices(messages).at(-1))?.place;

/** Whether both are the same notification: by mail and by text message. */
export const isSameNotification = (a: Identity, b: Identity): boolean => a.kind === b.kind && a.due_at === b.due_at;
type Identity = Pick<PatientMessage, 'kind' | 'due_at'>;

/** Whether an invitation or a new time is not needed: a later message by the same method says what it would, or that the appointment is cancelled. */
export const isSuperseded = (messages: readonly PatientMessage[], row: MessageRow, appointment: Place): boolean =>
  later(messages, row).some((message) => {
    if (message.kind !== 'newTime') return message.kind === 'invitation' || message.kind === 'cancelled';
    // It is sent only to a patient who may expect another start.
    const others = messages.filter((other) => !isSameNotification(other, message));
    return message.state === 'sent' || expectsOther(knownFrom(others), appointment);
  });

/** Whether a later cancellation by the same method was sent or is queued. */
export const isCancelledAgain = (messages: readonly PatientMessage[], row: MessageRow): boolean =>
  later(messages, row).some(({ kind }) => kind === 'cancelled');

type MessageRow = Pick<PatientMessage, 'notification_id' | 'method'>;

/** The later messages by the same method that were sent or are queued. A held one may never be sent. */
const later = (messages: readonly PatientMessage[], { notification_id, method }: MessageRow): PatientMessage[] =>
  messages.filter(
    (message) =>
      message.notification_id > notification_id &&
      message.method === method &&
      ((message.state === 'queued' && message.held_until === null) || message.state === 'sent'),
  );

/** Whether a message is the confirmation of what the patient did on the page: a booking, a move or a cancellation. */
export const isOwnChange = ({ kind, by_user_id }: Pick<PatientMessage, 'kind' | 'by_user_id'>): boolean =>
  by_user_id === null && (kind === 'invitation' || kind === 'newTime' || kind === 'cancelled');

export const isSamePlace = (a: Place, b: Place): boolean => a.startsAt === b.startsAt && a.doctorId === b.doctorId;

type Named = PatientMessage & { readonly at: string; readonly place: Place };

/** The messages that name a start and provider, in the order in which these were read. */
const inOrder = (messages: readonly PatientMessage[]): Named[] =>
  messages
    .flatMap((message) => {
      const { named_at: at, named_starts_at: startsAt, named_doctor_id: doctorId } = message;
      return at === null || startsAt === null || doctorId === null
        ? []
        : [{ ...message, at, place: { startsAt, doctorId } }];
    })
    .toSorted((a, b) => (a.at === b.at ? a.notification_id - b.notification_id : a.at < b.at ? -1 : 1));

/** Those that say when the appointment is: without messages about money, if there are others. */
function notices(messages: readonly PatientMessage[]): Named[] {
  const named = inOrder(messages);
  const others = named.filter(({ kind }) => !isAboutMoney(kind));
  return others.length > 0 ? others : named;
}

const isCertain = (message: PatientMessage): boolean => message.state === 'sent' || isOwnChange(message);
