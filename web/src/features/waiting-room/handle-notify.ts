import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import {
  type ArrivalInfo,
  changesPresence,
  messageType,
  type PushedMessage,
  type Sender,
} from '@roomside/contract/room/messages.ts';
import { hearsArrival } from '@roomside/contract/waiting-room/waiting.ts';
import { isClinicStaff, type SignInState } from '../../api/sign-in-state.ts';

/** What a pushed message means for this tab. */
export interface Decision {
  /** Repeat the calls of the counter, the waiting room, the lists and the calendars. */
  refresh: boolean;
  /** Repeat only those of lists and calendars: an appointment was booked, moved or closed. */
  schedule?: true;
  /** Repeat the calls of the company's settings and providers. */
  company?: true;
  /** The arrival to announce. */
  arrival?: ArrivalInfo;
  /** The uid of a visit whose patient has left: its announcement is removed. */
  gone?: string;
}

/**
 * STATE-5, STATE-6: returns what to do, without side effects. `path` is the tab's address: inside the room of that visit
 * an arrival is not announced.
 */
export function handleNotify(message: PushedMessage, sender: Sender, signIn: SignInState, path: string): Decision {
  if (!isClinicStaff(signIn) || signIn.status !== 'in') return { refresh: false };
  if (message.type === messageType.scheduleChanged) return { refresh: false, schedule: true };
  if (message.type === messageType.companyChanged) return { refresh: false, schedule: true, company: true };
  // The connection missed what was pushed before.
  if (message.type === messageType.joined) return { refresh: true, company: true };
  if (!changesPresence(message.type)) return { refresh: false };
  const decision: Decision = { refresh: true };
  if (sender.roleId !== 'P') return decision;
  if (message.type === messageType.userLeft) return { ...decision, gone: message.session };
  if (message.type !== messageType.patientArrived) return decision;
  const { appointment } = message;
  const listener = { role: signIn.claims.roles, userId: Number(signIn.claims.sub) };
  if (!hearsArrival(listener, appointment.doctorId) || roomOf(path) === normalizeUid(appointment.appointmentUid)) {
    return decision;
  }
  return { ...decision, arrival: appointment };
}

/** Returns the uid of the room at a path. */
export function roomOf(path: string): string | undefined {
  const uid = /^\/appointment\/([^/]+)/.exec(path)?.[1];
  return uid && normalizeUid(uid);
}
