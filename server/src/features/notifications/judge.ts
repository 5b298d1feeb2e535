import { isAboutMoney, type NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { expectsOther, isAware, type Known, type Place } from './known-place.ts';
import { deliveryTexts } from './texts.ts';

/** A notification as it was queued; instants ISO. */
export interface QueuedNotification {
  readonly kind: NotificationKind;
  /** Null = it goes to a user. */
  readonly patientId: number | null;
  /** Identifies a notification that is computed repeatedly: the time of a reminder. */
  readonly dueAt: string;
  readonly createdAt: string;
  /** Of a new time or a cancellation by staff: what the patient knows without it. null = of no matter. */
  readonly known: Known | null;
}

/** The current appointment. */
export interface NotifiedAppointment extends Place {
  readonly patientId: number;
  readonly endsAt: string;
  /** A deleted one counts as cancelled. */
  readonly cancelled: boolean;
  /** Of an administrator who tries a visit with themselves. */
  readonly isTest: boolean;
  readonly company: { readonly disabled: boolean; readonly remindBeforeMin: number };
}

/** 'due': is sent. 'dropped': no longer needed. 'failed': not sent, and staff see the reason. */
export type Verdict = { readonly is: 'due' } | { readonly is: 'dropped' | 'failed'; readonly reason: string };

/** Notifications to users about a waiting patient are dropped after this time, minutes. */
const maxUserNoticeAgeMinutes = 30;

const due: Verdict = { is: 'due' };
const drop = (reason: string): Verdict => ({ is: 'dropped', reason });
const fail = (reason: string): Verdict => ({ is: 'failed', reason });

/**
 * Decides whether a notification is due. Used when a reminder is queued and before every message is sent.
 *
 * @param isObsolete a later message to the same person is queued or was sent, and contains the current state; of a nudge: its patient no longer
 * waits without a provider
 * @param now ISO instant
 */
export function judgeNotification(
  notification: QueuedNotification,
  appointment: NotifiedAppointment,
  isObsolete: boolean,
  now: string,
): Verdict {
  const { patientId } = notification;
  if (appointment.isTest) return drop(deliveryTexts.test);
  if (patientId !== null && patientId !== appointment.patientId) return drop(deliveryTexts.otherPatient);
  const reason = reasonToDrop(notification, appointment, isObsolete, now);
  if (reason !== null) return drop(reason);
  if (appointment.company.disabled) return fail(deliveryTexts.companyDisabled);
  return due;
}

function reasonToDrop(
  notification: QueuedNotification,
  appointment: NotifiedAppointment,
  isObsolete: boolean,
  now: string,
): string | null {
  const { cancelled, startsAt, company } = appointment;
  const { kind, known } = notification;
  if (cancelled && !isAboutMoney(kind) && kind !== 'cancelled') return deliveryTexts.cancelled;
  switch (kind) {
    case 'cancelled':
      if (!cancelled) return deliveryTexts.restored;
      if (isObsolete) return deliveryTexts.superseded;
      if (known && !isAware(known)) return deliveryTexts.unaware;
      return isDelayedPastEnd(notification, appointment, now) ? deliveryTexts.past : null;
    case 'newTime':
      if (startsAt <= now) return deliveryTexts.past;
      if (isObsolete) return deliveryTexts.superseded;
      if (known && !isAware(known)) return deliveryTexts.unaware;
      return known && !expectsOther(known, appointment) ? deliveryTexts.movedAgain : null;
    case 'reminder':
      if (startsAt <= now) return deliveryTexts.past;
      return notification.dueAt === addMinutes(startsAt, -company.remindBeforeMin) ? null : deliveryTexts.superseded;
    case 'invitation':
      if (isDelayedPastEnd(notification, appointment, now)) return deliveryTexts.past;
      return isObsolete ? deliveryTexts.superseded : null;
    case 'receipt':
    case 'refunded':
    case 'refundFailed':
      return null;
    case 'arrival':
    case 'nudge':
      if (isObsolete) return deliveryTexts.noLongerWaiting;
      return addMinutes(notification.createdAt, maxUserNoticeAgeMinutes) <= now ? deliveryTexts.past : null;
  }
}

/**
 * Whether an outage delayed the notification past the end of the appointment. False when it was queued after the end:
 * staff may send an invitation then.
 */
const isDelayedPastEnd = ({ createdAt }: QueuedNotification, { endsAt }: NotifiedAppointment, now: string): boolean =>
  createdAt < endsAt && endsAt <= now;
