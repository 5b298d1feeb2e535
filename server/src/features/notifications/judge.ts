import type { NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { deliveryTexts } from './texts.ts';

/** A notification as it was queued; instants ISO. */
export interface QueuedNotification {
  readonly kind: NotificationKind;
  /** Null = it goes to a user. */
  readonly patientId: number | null;
  /** Names a notification that is worked out more than once: a reminder's time. */
  readonly dueAt: string;
  readonly createdAt: string;
}

/** The appointment as it stands. */
export interface NotifiedAppointment {
  readonly patientId: number;
  readonly startsAt: string;
  readonly endsAt: string;
  /** A deleted one counts as cancelled. */
  readonly cancelled: boolean;
  readonly company: { readonly disabled: boolean; readonly remindBeforeMin: number };
}

/** 'due': is sent. 'dropped': nothing is left to say. 'failed': staff have to know that it did not go out. */
export type Verdict = { readonly is: 'due' } | { readonly is: 'dropped' | 'failed'; readonly reason: string };

/** How long a provider's call to a waiting patient is worth sending, minutes. */
const callMinutes = 30;

const due: Verdict = { is: 'due' };
const drop = (reason: string): Verdict => ({ is: 'dropped', reason });
const fail = (reason: string): Verdict => ({ is: 'failed', reason });

/**
 * Whether a notification is still due: the only judge of it, when it is queued by the clock and before it leaves.
 *
 * @param isSuperseded a later message to the same person waits to leave and says how things stand
 * @param now ISO instant
 */
export function judgeNotification(
  notification: QueuedNotification,
  appointment: NotifiedAppointment,
  isSuperseded: boolean,
  now: string,
): Verdict {
  const { kind, patientId } = notification;
  if (patientId !== null && patientId !== appointment.patientId) return drop(deliveryTexts.otherPatient);
  const reason = reasonToDrop(notification, appointment, isSuperseded, now);
  if (reason !== null) return drop(reason);
  if (appointment.company.disabled) return fail(deliveryTexts.companyDisabled);
  if (appointment.cancelled && kind !== 'cancelled') return fail(deliveryTexts.cancelled);
  return due;
}

function reasonToDrop(
  notification: QueuedNotification,
  appointment: NotifiedAppointment,
  isSuperseded: boolean,
  now: string,
): string | null {
  const { cancelled, startsAt, company } = appointment;
  switch (notification.kind) {
    case 'cancelled':
      if (!cancelled) return deliveryTexts.alive;
      return isKeptBack(notification, appointment, now) ? deliveryTexts.past : null;
    case 'newTime':
      if (cancelled) return deliveryTexts.cancelled;
      if (startsAt <= now) return deliveryTexts.past;
      return isSuperseded ? deliveryTexts.overtaken : null;
    case 'reminder':
      if (cancelled) return deliveryTexts.cancelled;
      if (startsAt <= now) return deliveryTexts.past;
      return notification.dueAt === addMinutes(startsAt, -company.remindBeforeMin) ? null : deliveryTexts.overtaken;
    case 'invitation':
      if (isKeptBack(notification, appointment, now)) return deliveryTexts.past;
      return isSuperseded ? deliveryTexts.overtaken : null;
    case 'arrival':
    case 'nudge':
      return addMinutes(notification.createdAt, callMinutes) <= now ? deliveryTexts.past : null;
  }
}

/** An outage has kept it until the end of the appointment. Staff may invite to one that has ended by its times. */
const isKeptBack = ({ createdAt }: QueuedNotification, { endsAt }: NotifiedAppointment, now: string): boolean =>
  createdAt < endsAt && endsAt <= now;
