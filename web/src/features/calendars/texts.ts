/** Texts of calendar feeds and external calendars. */
export const texts = {
  title: 'Calendar',
  clinicTitle: 'Calendar of the clinic',

  feed: 'Appointments in another calendar',
  feedText:
    'A private address that Google Calendar, Outlook, and Apple Calendar read by themselves, with the times of the appointments.',
  clinicFeedText:
    'A private address that Google Calendar, Outlook, and Apple Calendar read by themselves, with the times of all appointments and the names of their providers.',
  privacy:
    'The calendar never has names, emails, or notes of patients, and their initials only if you choose to show them.',
  showsInitials: 'Show patients’ initials',
  changed: 'The calendar has been changed.',
  make: 'Create address',
  renew: 'Renew address',
  renewQuestion: 'Create a new address?',
  renewDetail: 'The current address stops working immediately. Calendars that use it need the new one.',
  renewYes: 'Create new address',
  remove: 'Remove',
  removeQuestion: 'Remove this address?',
  removeDetail: 'Calendars that use it can’t read the appointments anymore.',
  cancel: 'Cancel',
  removed: 'The address has been removed.',

  address: 'Calendar address',
  addressHint: 'Copy it now: it isn’t shown again. Anyone who has it can see the appointment times.',
  copy: 'Copy address',
  copied: 'The address has been copied.',
  how: [
    ['Google Calendar', 'Next to “Other calendars” choose + and “From URL”, and paste the address.'],
    ['Outlook', 'Choose “Add calendar” and “Subscribe from web”, and paste the address.'],
    ['Apple Calendar', 'Choose File and “New Calendar Subscription”, and paste the address.'],
  ],
  howLater: 'Some calendars read an address only a few times a day.',

  since: (day: string) => `Created on ${day}.`,
  readAt: (time: string) => `Last read by a calendar on ${time}.`,
  neverRead: 'No calendar has read it yet.',

  external: 'Busy times from another calendar',
  externalText:
    'Events of another calendar are time off: patients can’t book these times. We read it every five minutes and keep the times only, no titles.',
  externalAddress: 'Address of the other calendar',
  externalHint: 'Its secret address in iCal format, which ends in .ics. It begins with https:// or webcal://.',
  save: 'Save address',
  saved: 'The calendar has been read.',
  reading: (host: string) => `Reading ${host}.`,
  externalReadAt: (time: string) => `Last read on ${time}.`,
  busy: (count: number) =>
    count === 0 ? 'No busy times ahead.' : count === 1 ? '1 busy time ahead.' : `${count} busy times ahead.`,
  failed: (time: string, problem: string) => `We haven’t been able to read this calendar since ${time}. ${problem}`,
  stays: 'The busy times stay as they were last read. We keep trying.',
  removeExternal: 'Remove calendar',
  removeExternalQuestion: 'Remove this calendar?',
  removeExternalDetail: 'Its busy times can be booked again.',
  externalRemoved: 'The calendar has been removed.',
} as const;
