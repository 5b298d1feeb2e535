import {
  type ArrivalInfo,
  changesPresence,
  messageType,
  type PushedMessage,
  type Sender,
} from '@roomside/contract/room/messages.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import { hearsArrival } from '@roomside/contract/waiting-room/waiting.ts';
import { isClinicStaff, type SignInState } from '../../api/sign-in-state.ts';

/** What a pushed message means for somebody outside, or inside, of a room. */
export interface Decision {
  /** The counter, the waiting room, the lists and the calendars ask again. */
  refresh: boolean;
  /** Lists and calendars alone do: something was booked, moved or closed. */
  schedule?: true;
  /** Somebody to announce. */
  arrival?: ArrivalInfo;
  /** The uid of a visit whose patient has gone again: nothing is left to announce. */
  gone?: string;
}

/**
 * STATE-5, STATE-6, decided without doing anything. `path` is where this tab is: inside the room of that very visit
 * nobody is announced.
 */
export function handleNotify(message: PushedMessage, sender: Sender, session: SignInState, path: string): Decision {
  if (!isClinicStaff(session) || session.status !== 'in') return { refresh: false };
  if (message.type === messageType.scheduleChanged) return { refresh: false, schedule: true };
  if (!changesPresence(message.type)) return { refresh: false };
  const decision: Decision = { refresh: true };
  if (sender.roleId !== 'P') return decision;
  if (message.type === messageType.userLeft) return { ...decision, gone: message.session };
  if (message.type !== messageType.patientArrived) return decision;
  const { appointment } = message;
  const listener = { role: session.claims.roles, userId: Number(session.claims.sub) };
  if (!hearsArrival(listener, appointment.doctorId) || roomOf(path) === normaliseUid(appointment.appointmentUid)) {
    return decision;
  }
  return { ...decision, arrival: appointment };
}

/** The uid of the room that a path is in. */
function roomOf(path: string): string | undefined {
  const uid = /^\/appointment\/([^/]+)/.exec(path)?.[1];
  return uid && normaliseUid(uid);
}
