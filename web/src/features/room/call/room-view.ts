import { guestName } from '@roomside/contract/guests/guest-name.ts';
import type { Sender, SubscribeRefusal } from '@roomside/contract/room/messages.ts';
import type { MediaState } from '../media/media-state.ts';
import type { Quality } from './quality.ts';
import type { Words } from './verification-channel.ts';

/**
 * entering: not in the room yet, also after a connection loss before the first entry; in; moved: another tab of this
 * person has the room; over: for this person, with the server's reason.
 */
export type Phase = { name: 'entering' | 'in' | 'moved' } | { name: 'over'; why: SubscribeRefusal };

/** Another person in the room. `arriving`: present, but cannot be called yet. */
export interface Person {
  peerId: string;
  name: string;
  isStaff: boolean;
  /** Neither is true for guests. */
  isPatient: boolean;
  link: 'arriving' | 'connecting' | 'live' | 'lost';
  stream: MediaStream | undefined;
  mediaState: MediaState;
  /** How sound and video arrive, on the worse side; undefined until that was measured, and while the link is down. */
  quality: Quality | undefined;
  /** The same on both sides when no one stands between them. */
  words: Words | undefined;
}

export interface RoomView {
  phase: Phase;
  /** False while the hub is disconnected; the media continue. */
  online: boolean;
  people: readonly Person[];
  /** STATE-10: waiting becomes active with the first sound or video. */
  hasFeed: boolean;
  /** Another peer has been in the room before. */
  hadCompany: boolean;
  /** When this person first entered, ms; null before. */
  joinedAt: number | null;
}

/** Events of a room for the user. */
export type Notice =
  | { type: 'joined' | 'left' | 'muted-by' | 'unmute-asked' | 'ended-by' | 'cancelled-by'; name: string }
  | { type: 'lost' | 'frozen' }
  /** The quality became poor, or is no longer. */
  | { type: 'poor' | 'better'; name: string }
  /** The other side broke the protocol of the words; the connection was ended. */
  | { type: 'unverified'; name: string }
  /** An own message, while the chat is closed. */
  | { type: 'not-sent'; code: string | undefined };

/** True for a person with sound or video, also while it is briefly interrupted. */
export function isFeed({ link, stream }: Person): boolean {
  return stream !== undefined || link === 'live';
}

/** True while this tab is in the visit, also while the hub is disconnected. */
export function isInVisit({ phase, people }: RoomView): boolean {
  return phase.name === 'in' || people.length > 0;
}

export function nameOf({ firstName, lastName, guest }: Sender): string {
  if (guest) return guestName(guest);
  return `${firstName} ${lastName}`.trim();
}

export function isStaff({ roleId }: Pick<Sender, 'roleId'>): boolean {
  return roleId !== 'P' && roleId !== 'G';
}
