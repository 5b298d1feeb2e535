import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { providers } from '../permissions.ts';
import { email, id, personName, phone, text, uid } from '../shape.ts';
import { guestRoles } from './guest.ts';

const ofVisit = z.object({ uid });
const ofGuest = z.object({ uid, guestId: id });

/**
 * An invitation to one visit. `link` opens the guest's page; '' when it is no longer valid. `contact` is where the link can be sent: an
 * email, or ten digits; '' = none.
 */
const guest = z.object({
  guestId: z.int(),
  name: z.string(),
  role: z.enum(guestRoles),
  state: z.enum(['waiting', 'in-room', 'removed', 'expired']),
  link: z.string(),
  contact: z.string(),
  sentAt: z.nullable(z.string()),
});
export type Guest = z.infer<typeof guest>;

export const listGuests = call({
  name: 'listGuests',
  summary: 'The people who were invited to a visit by a link.',
  method: 'GET',
  path: '/api/teleappointments/:uid/guests',
  who: providers,
  unlicensed: 'during-visit',
  params: ofVisit,
  result: z.object({ data: z.array(guest) }),
});

/**
 * Creates an invitation. Nothing is sent: see `sendGuestLink`. The link is in the list only, since the result of a creation is stored
 * for its repeat.
 */
export const inviteGuest = call({
  name: 'inviteGuest',
  summary: 'Invites a person to a visit by a link, which is valid until the visit or its day ends.',
  method: 'POST',
  path: '/api/teleappointments/:uid/guests',
  who: providers,
  unlicensed: 'during-visit',
  params: ofVisit,
  body: z.object({
    name: personName(limits.guestName),
    role: z.enum(guestRoles),
    /** One of both, or none. */
    email: z.optional(email),
    phone: z.optional(phone),
  }),
  result: z.object({ guestId: z.int() }),
  creates: true,
  refusals: ['appointment-cancelled', 'visit-over', 'too-many-guests', 'key-reused'],
});

export const sendGuestLink = call({
  name: 'sendGuestLink',
  summary: 'Sends the link of an invitation to the email or phone that it was made with.',
  method: 'POST',
  path: '/api/teleappointments/:uid/guests/:guestId/message',
  who: providers,
  unlicensed: 'during-visit',
  params: ofGuest,
  refusals: ['no-contact', 'visit-over', 'too-many', 'trial-messages'],
});

/** The link no longer opens anything, and the person's pages are disconnected. */
export const removeGuest = call({
  name: 'removeGuest',
  summary: 'Withdraws an invitation and removes the person from the visit.',
  method: 'DELETE',
  path: '/api/teleappointments/:uid/guests/:guestId',
  who: providers,
  unlicensed: 'during-visit',
  params: ofGuest,
});

const link = text(limits.guestLink);

/** What a link shows before joining: nothing about the patient. */
export const getInvitation = call({
  name: 'getInvitation',
  summary: 'Who invites to a visit by this link.',
  method: 'POST',
  path: '/api/auth/invitation',
  who: 'anyone',
  body: z.object({ link }),
  result: z.object({
    name: z.string(),
    role: z.enum(guestRoles),
    companyName: z.string(),
    doctor: z.object({ firstName: z.string(), lastName: z.string() }),
    startDate: z.string(),
    timeZone: z.string(),
  }),
  refusals: ['invitation-over', 'too-many'],
});

export const joinAsGuest = call({
  name: 'joinAsGuest',
  summary: 'Signs in by the link of an invitation, for one visit.',
  method: 'POST',
  path: '/api/auth/guest',
  who: 'anyone',
  body: z.object({ link }),
  result: z.object({ signedIn: z.literal(true), accessToken: z.string() }),
  refusals: ['invitation-over', 'too-many'],
});

/** `isOpen`: a provider is in the room, or those with whom the guest was a moment ago are; so the guest may enter, or reads that the room is full. */
export const getGuestVisit = call({
  name: 'getGuestVisit',
  summary: 'The visit that the signed-in guest was invited to.',
  method: 'GET',
  path: '/api/guest-visit',
  who: ['G'],
  unlicensed: 'during-visit',
  result: z.object({
    appointmentUid: z.string(),
    name: z.string(),
    companyName: z.string(),
    doctor: z.object({ firstName: z.string(), lastName: z.string() }),
    startDate: z.string(),
    timeZone: z.string(),
    isOpen: z.boolean(),
  }),
});
