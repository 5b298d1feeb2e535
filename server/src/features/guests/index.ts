import { getGuestVisit } from './get-guest-visit.ts';
import { getInvitation } from './get-invitation.ts';
import { inviteGuest } from './invite-guest.ts';
import { joinAsGuest } from './join-as-guest.ts';
import { listGuests } from './list-guests.ts';
import { removeGuest } from './remove-guest.ts';
import { sendGuestLink } from './send-guest-link.ts';

export const guestCalls = [
  listGuests,
  inviteGuest,
  sendGuestLink,
  removeGuest,
  getInvitation,
  joinAsGuest,
  getGuestVisit,
];
