import type { Caller } from '@roomside/contract/permissions.ts';
import type { MessagingClient } from '@roomside/contract/room/messages.ts';
import type { Context as HubContext, HubControl } from '@roomside/signalr';

/** The claims of a hub connection. The database is checked when a sign-in may have ended, and at every Subscribe. */
export interface HubClaims {
  signInId: number;
  /** The role at the time of the connection. */
  role: Caller;
  companyId: number | undefined;
  /** Id of the user, patient or guest. */
  personId: number;
  /** The client's IP address, for the audit log. */
  address: string;
}

export type MessagingContext = HubContext<MessagingClient, HubClaims>;
export type MessagingControl = HubControl<MessagingClient, HubClaims>;

/** The hub's group of all peers in a room. */
export const roomGroup = (uid: string) => `room:${uid}`;
/** The hub's group of the peers in a room who may see what is kept of the patient: all but guests. */
export const withoutGuestsGroup = (uid: string) => `without-guests:${uid}`;
/** The hub's group of one peer in a room. */
export const peerGroup = (uid: string, peerId: string) => `peer:${uid}:${peerId}`;
