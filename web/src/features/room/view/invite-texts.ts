import type { Guest } from '@roomside/contract/guests/calls.ts';
import type { GuestRole } from '@roomside/contract/guests/guest.ts';

/** Texts of the dialog in which staff invite people to a visit. */
export const texts = {
  title: 'Invite a person',
  intro:
    'They join with a link that works for this visit only. They see and hear everyone and use the chat, without the patient’s record. Up to 4 people can be in the visit.',
  name: 'Name',
  role: 'This person is',
  roles: {
    family: 'Family member',
    interpreter: 'Interpreter',
    colleague: 'Colleague',
    other: 'Other',
  } satisfies Record<GuestRole, string>,
  contact: 'Email or phone (optional)',
  contactHint: 'Only if you want to send the link from here.',
  contactWrong: 'Enter an email or a ten-digit phone number.',
  create: 'Create link',
  invited: 'Invited people',
  none: 'No one has been invited yet.',
  states: {
    waiting: 'Waiting',
    'in-room': 'In the visit',
    removed: 'Removed',
    expired: 'Expired',
  } satisfies Record<Guest['state'], string>,
  copy: 'Copy link',
  copyOf: (name: string) => `Copy link for ${name}`,
  copied: 'Link copied.',
  copyFailed: 'Your browser didn’t allow copying. Select the link and copy it.',
  email: (name: string, address: string) => `Email the link to ${name} at ${address}`,
  text: (name: string, phone: string) => `Text the link to ${name} at ${phone}`,
  sent: (name: string) => `The link is on its way to ${name}.`,
  sentAt: (time: string) => `Sent at ${time}`,
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  removeQuestion: (name: string) => `Remove ${name} from this visit? The link stops working immediately.`,
  removeNo: 'Keep',
  close: 'Close',
} as const;
