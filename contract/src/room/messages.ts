import * as z from 'zod/mini';
import type { GuestSender } from '../guests/guest.ts';
import { limits } from '../limits.ts';
import type { Role } from '../permissions.ts';
import { text, uid } from '../shape.ts';
import type { ChatMessage } from './calls.ts';
import type { RecordingState } from './recording-calls.ts';

/**
 * HUB-3. Types of 0 and below, and of 100 and above, are sent by the server only. Types that the specification does not define
 * start at 100, so that "below 0 clears presence" (STATE-5) applies to every client.
 */
export const messageType = {
  userLeft: -1,
  /** A patient has arrived; sent to the staff of the company. */
  patientArrived: 0,
  chat: 1,
  /** WebRTC negotiation data; requires `to`. */
  peerData: 2,
  callEnded: 3,
  /** Sent when local video is running. */
  participantArrived: 4,
  remoteVideo: 5,
  remoteMute: 6,
  /** The room was opened in another tab of the same person; the old tab offers 'Use here'. */
  movedToOtherTab: 100,
  /** Presence in a room of the company has changed: counters and lists reload, without an announcement. */
  presenceChanged: 101,
  /** Appointments, rules or time off of the company have changed: calendars and lists reload. Sent to staff outside of rooms. */
  scheduleChanged: 102,
  /** The company's settings or users have changed: all pages of its staff read settings and providers again. Sent after 102. */
  companyChanged: 107,
  /** A picture was taken in the room and is stored. */
  pictureTaken: 103,
  /** The files that a patient sees have changed. */
  filesChanged: 104,
  /** To one connection of staff: it receives what is pushed to staff from now on. What its page read before is read again. */
  joined: 106,
  /** The patient's wait or the visit has changed: hold, estimate, time or provider. The pages in the room read the visit again. */
  waitingChanged: 110,
  /** Staff have removed a guest: all pages end the connection with the peer in `peerId` without asking it. */
  guestRemoved: 111,
  /** The patient has cancelled the appointment. Sent by the server only: a patient can send 3 with any payload. */
  cancelledByPatient: 112,
  /** The recording of the room was asked for, allowed, refused, started or stopped; with its new state. */
  recordingChanged: 105,
} as const;

/** STATE-5: whether the waiting counter, the waiting room and lists reload after a message of this type. */
export const changesPresence = (type: number): boolean =>
  type <= messageType.patientArrived || type === messageType.presenceChanged;

/** The argument of SendData. `to` is a peer id; the server does not read `payload`. */
export const dataMessage = z.object({
  type: z.union([z.literal(2), z.literal(3), z.literal(4), z.literal(5), z.literal(6)]),
  session: uid,
  to: z.optional(z.string().check(z.maxLength(100))),
  payload: z.optional(z.unknown()),
});
export type DataMessage = z.infer<typeof dataMessage>;

/** VALID-3. `key` is an idempotency key: a message with the same key is stored once. */
export const chatText = z.object({
  session: uid,
  payload: text(limits.chatMax).check(z.refine((typed) => typed.trim().length >= limits.chatMin)),
  key: z.string().check(z.minLength(8), z.maxLength(64)),
});
export type ChatText = z.infer<typeof chatText>;

/** Why a Subscribe is refused: the messages of the hub's errors, which the room translates into user texts. */
export const subscribeRefusals = [
  'not-found',
  'cancelled',
  'ended',
  'early',
  'full',
  'no-provider',
  'unlicensed',
] as const;
export type SubscribeRefusal = (typeof subscribeRefusals)[number];

/** The error with which the hub closes the connections of a sign-in that has ended. */
export const signedOutError = 'signed-out';
/** The error with which it closes those of a user without the second factor that their company requires. */
export const factorError = 'second-factor-required';

/** The sender of a message, set by the server from the token. */
export interface Sender {
  peerId: string;
  roleId: Role;
  userId: number | null;
  patientId: number | null;
  firstName: string;
  lastName: string;
  /** Only for a guest, whose whole name is in `firstName`. */
  guest?: GuestSender;
}

/** The data of the arrival sheet and the waiting counter (ARRIVAL-1, STATE-5, STATE-6). */
export interface ArrivalInfo {
  appointmentId: number;
  appointmentUid: string;
  doctorId: number;
  patient: { firstName: string; lastName: string };
  doctor: { firstName: string; lastName: string };
  startDate: string;
  noCamera: boolean;
}

/** The messages that the server sends (HUB-2, ENTITY-18). */
export type PushedMessage =
  | ChatMessage
  | { type: 2 | 3 | 4 | 5 | 6; session: string; payload?: unknown }
  | { type: 0; session: string; appointment: ArrivalInfo }
  /** `appointment` is set only for staff outside the room. */
  | { type: -1; session: string; appointment?: ArrivalInfo }
  | { type: 100 | 101 | 104 | 110 | 112; session: string }
  | { type: 102 | 106 | 107; session: '' }
  /** `key` is that of the request for the picture. */
  | { type: 103; session: string; key: string }
  | { type: 111; session: string; peerId: string }
  | { type: 105; session: string; recording: RecordingState };

/** A peer that was in the room before the caller; `ready` when it has sent type 4. */
export interface PresentPeer extends Sender {
  ready: boolean;
}

/** The hub at {service}messaging (HUB-2). Subscribe returns the other peers in the room. */
export interface MessagingServer {
  Subscribe(session: string): PresentPeer[];
  Unsubscribe(session: string): void;
  SendData(data: DataMessage): void;
  /** Stores the message and returns its id. */
  SendText(data: ChatText): number;
  /** Does nothing: its response shows that the connection works. */
  Ping(): void;
}

export interface MessagingClient {
  Notify(message: PushedMessage, user: Sender): void;
}

/** Who reads a chat. */
export type Reader = { side: 'staff' } | { side: 'patient' } | { side: 'guest'; guestId: number };

/**
 * ROLE-8: whether the reader's side has sent the message: patients' messages have no user id, those of staff have one. Each guest is a
 * separate side.
 */
export function isMine(message: Pick<ChatMessage, 'userId' | 'guest'>, reader: Reader): boolean {
  if (reader.side === 'guest') return message.guest?.guestId === reader.guestId;
  if (message.guest) return false;
  return reader.side === 'patient' ? message.userId === null : message.userId !== null;
}
