import type { Sender, SubscribeRefusal } from '@roomside/contract/room/messages.ts';
import type { MediaState } from './signal.ts';

/**
 * entering: on the way in, also after the line was lost before the first time; in; moved: another tab of this person
 * has it; over: for this person, for the reason that the server gave.
 */
export type Phase = { name: 'entering' | 'in' | 'moved' } | { name: 'over'; why: SubscribeRefusal };

/** Somebody else in the room. `arriving`: has come, but cannot be called yet. */
export interface Person {
  peerId: string;
  name: string;
  isStaff: boolean;
  link: 'arriving' | 'connecting' | 'live' | 'lost';
  stream: MediaStream | undefined;
  mediaState: MediaState;
}

export interface RoomView {
  phase: Phase;
  /** False while the hub is away; the media go on. */
  online: boolean;
  people: readonly Person[];
  /** STATE-10: waiting becomes active when somebody can be seen or heard. */
  hasFeed: boolean;
  /** Somebody has been here already. */
  hadCompany: boolean;
  /** When this person first came in, ms; null before. */
  joinedAt: number | null;
}

/** What happens in a room, to be put into words. */
export type Notice =
  | { type: 'joined' | 'left' | 'muted-by' | 'unmute-asked' | 'ended-by' | 'cancelled-by'; name: string }
  | { type: 'lost' | 'frozen' }
  /** A message of one's own, while the chat is closed. */
  | { type: 'not-sent'; code: string | undefined };

/** Somebody who can be seen or heard, or could be a moment ago. */
export function isFeed({ link, stream }: Person): boolean {
  return stream !== undefined || link === 'live';
}

export function nameOf({ firstName, lastName }: Sender): string {
  return `${firstName} ${lastName}`.trim();
}
