import * as z from 'zod/mini';
import { limits } from '../limits.ts';
import { text, uid } from '../shape.ts';
import type { ChatMessage } from './calls.ts';

/**
 * HUB-3. Types 0 and below, and those from 100 on, are made by the server only. What the specification does not have is
 * from 100 on, so that "below 0 clears presence" (STATE-5) holds for every client.
 */
export const messageType = {
  userLeft: -1,
  /** A patient has arrived: to the staff of the company. */
  patientArrived: 0,
  chat: 1,
  /** Peer negotiation data; needs `to`. */
  peerData: 2,
  callEnded: 3,
  /** Sent once local video runs. */
  participantArrived: 4,
  remoteVideo: 5,
  remoteMute: 6,
  /** This room was opened in another tab of the same person; the old tab offers 'Use here'. */
  movedToOtherTab: 100,
  /** Somebody came to or left a room of the company: counters and lists ask again, without an announcement. */
  presenceChanged: 101,
  /** Appointments, rules or time off of the company changed: calendars and lists ask again. To staff outside of rooms. */
  scheduleChanged: 102,
} as const;

/** STATE-5: the waiting counter, the waiting room and lists ask again. */
export const changesPresence = (type: number): boolean =>
  type <= messageType.patientArrived || type === messageType.presenceChanged;

/** What a client may send through SendData; `to` is a peer id. `payload` is opaque to the server. */
export const dataMessage = z.object({
  type: z.union([z.literal(2), z.literal(3), z.literal(4), z.literal(5), z.literal(6)]),
  session: uid,
  to: z.optional(z.string().check(z.maxLength(100))),
  payload: z.optional(z.unknown()),
});
export type DataMessage = z.infer<typeof dataMessage>;

/** VALID-3. `key` makes a retry harmless: the same key is stored once. */
export const chatText = z.object({
  session: uid,
  payload: text(limits.chatMax).check(z.refine((typed) => typed.trim().length >= limits.chatMin)),
  key: z.string().check(z.minLength(8), z.maxLength(64)),
});
export type ChatText = z.infer<typeof chatText>;

/** Why a Subscribe is refused: the texts of the hub's errors, which the room turns into words. */
export const subscribeRefusals = ['not-found', 'cancelled', 'ended', 'early'] as const;
export type SubscribeRefusal = (typeof subscribeRefusals)[number];

/** With this error the hub closes the connections of a sign-in that has ended. */
export const signedOutError = 'signed-out';

/** Who sent a message; made by the server from the token, never by the sender. */
export interface Sender {
  peerId: string;
  roleId: 'A' | 'D' | 'U' | 'P';
  userId: number | null;
  patientId: number | null;
  firstName: string;
  lastName: string;
}

/** What the arrival sheet and the waiting counter need (ARRIVAL-1, STATE-5, STATE-6). */
export interface ArrivalInfo {
  appointmentId: number;
  appointmentUid: string;
  doctorId: number;
  patient: { firstName: string; lastName: string };
  doctor: { firstName: string; lastName: string };
  startDate: string;
  noCamera: boolean;
}

/** What the server pushes (HUB-2, ENTITY-18). */
export type PushedMessage =
  | ChatMessage
  | { type: 2 | 3 | 4 | 5 | 6; session: string; payload?: unknown }
  | { type: 0; session: string; appointment: ArrivalInfo }
  /** `appointment` only for staff outside the room. */
  | { type: -1; session: string; appointment?: ArrivalInfo }
  | { type: 100 | 101; session: string }
  | { type: 102; session: '' };

/** A peer that is already in the session when one subscribes; `ready` once it has sent type 4. */
export interface PresentPeer extends Sender {
  ready: boolean;
}

/** The hub at {service}messaging (HUB-2). Subscribe answers who else is there. */
export interface MessagingServer {
  Subscribe(session: string): PresentPeer[];
  Unsubscribe(session: string): void;
  SendData(data: DataMessage): void;
  /** Returns the message id once stored. */
  SendText(data: ChatText): number;
}

export interface MessagingClient {
  Notify(message: PushedMessage, user: Sender): void;
}

/** ROLE-8: mine if I am a patient and the message has no user id, or I am staff and it has one. */
export function isMine(message: { userId: number | null }, iAmPatient: boolean): boolean {
  return iAmPatient ? message.userId === null : message.userId !== null;
}
