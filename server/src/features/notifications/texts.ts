/** All texts of mails, text messages and calendar entries. Subjects and entries contain nothing about a person's health. */

/**
 * To patients: subject, title, first sentence and text message by kind; `now` is the invitation to an instant appointment, `newProvider` a
 * new time that is the one that the patient knows.
 * Text messages contain only characters of the GSM alphabet: any other character halves the length of a text message.
 */
export const patientTexts = {
  invitation: {
    subject: (company: string, day: string) => `Your video visit with ${company} on ${day}`,
    title: 'Your video visit',
    intro: (company: string) => `${company} has scheduled a video visit for you.`,
    text: (company: string, when: string, link: string, code: string) =>
      `${company}: your video visit is on ${when}. Join: ${link} (code ${code})`,
  },
  now: {
    subject: (company: string, _day: string) => `Your video visit with ${company} starts now`,
    title: 'Your video visit',
    intro: (company: string) => `${company} is waiting for you. Your video visit starts now.`,
    text: (company: string, _when: string, link: string, code: string) =>
      `${company}: your video visit starts now. Join: ${link} (code ${code})`,
  },
  newTime: {
    subject: (company: string, day: string) => `New time for your video visit with ${company}: ${day}`,
    title: 'Your video visit has a new time',
    intro: (company: string) => `Your video visit with ${company} has been moved. Here are the new details.`,
    text: (company: string, when: string, link: string, code: string) =>
      `${company}: your video visit has been moved to ${when}. Join: ${link} (code ${code})`,
  },
  newProvider: {
    subject: (company: string, day: string) => `New provider for your video visit with ${company} on ${day}`,
    title: 'Your video visit has a new provider',
    intro: (company: string, doctor: string) =>
      `Your video visit with ${company} is now with ${doctor}. The time has not changed.`,
    text: (company: string, when: string, link: string, code: string, doctor: string) =>
      `${company}: your video visit on ${when} is now with ${doctor}. Join: ${link} (code ${code})`,
  },
  reminder: {
    subject: (company: string, day: string) => `Reminder: your video visit with ${company} on ${day}`,
    title: 'Your video visit is coming up',
    intro: (company: string) => `This is a reminder of your video visit with ${company}.`,
    text: (company: string, when: string, link: string, code: string) =>
      `${company}: reminder of your video visit on ${when}. Join: ${link} (code ${code})`,
  },
  cancelled: {
    subject: (company: string, day: string) => `Your video visit with ${company} on ${day} is cancelled`,
    title: 'Your video visit is cancelled',
    intro: (company: string) => `Your video visit with ${company} has been cancelled. Its link no longer works.`,
    text: (company: string, when: string, _link: string, _code: string) =>
      `${company}: your video visit on ${when} is cancelled.`,
  },
  receipt: {
    subject: (company: string, _day: string) => `Your payment to ${company}`,
    title: 'Thank you for your payment',
    intro: (company: string) => `${company} has received your payment.`,
    text: (company: string, _when: string, link: string, _code: string) =>
      `${company}: thank you for your payment. Your visit and receipt: ${link}`,
  },
  refunded: {
    subject: (company: string, _day: string) => `Your refund from ${company}`,
    title: 'Your payment was refunded',
    intro: (company: string) =>
      `${company} has refunded your payment. It can take up to ten days until your card statement shows it.`,
    text: (company: string, _when: string, _link: string, _code: string) =>
      `${company}: your payment was refunded. It can take up to ten days until your card statement shows it.`,
  },
  refundFailed: {
    subject: (company: string, _day: string) => `Your refund from ${company} did not go through`,
    title: 'Your refund did not go through',
    intro: (company: string) =>
      `The refund from ${company} did not reach your card. The clinic knows about it and will return the money in another way.`,
    text: (company: string, _when: string, _link: string, _code: string) =>
      `${company}: your refund did not reach your card. We know about it and will return the money in another way.`,
  },
  paid: 'Paid',
  notRefunded: 'Not refunded yet',
  refundedAmount: 'Refunded to your card',
  refundedByHand: 'Returned by the clinic itself',
  greeting: (firstName: string) => `Hello ${firstName},`,
  greetingAnyone: 'Hello,',
  doctor: 'With',
  when: 'When',
  whenNow: 'Now',
  code: 'Access code',
  join: 'Join the visit',
  howTo:
    'Open the link in an up-to-date browser on a phone, tablet, or computer with a camera and a microphone. When your browser asks, allow both. Nothing to install, no password needed.',
  early: 'You can open the link any time to see when your visit is. The room opens one hour before the visit.',
  change: 'Need another time, or can\u2019t make it? Open the link and choose \u201cMove or cancel\u201d.',
  private: 'The link and the code are for you only. Please don\u2019t share them.',
  help: (email: string) => `Questions? Email ${email}.`,
} as const;

/** To users who are notified of the arrivals of a provider's patients. */
export const userTexts = {
  arrival: {
    subject: (company: string) => `A patient has arrived at ${company}`,
    title: 'A patient has arrived',
    body: (patient: string, doctor: string, time: string) =>
      `${patient} has arrived for the visit with ${doctor} at ${time}.`,
  },
  nudge: {
    subject: (company: string) => `A patient is waiting at ${company}`,
    title: 'A patient is waiting',
    body: (patient: string, doctor: string, time: string) =>
      `${patient} is still waiting for the visit with ${doctor} at ${time}.`,
  },
  aPatient: 'A patient',
  open: 'Open the waiting room',
  why: 'You get this message because of the notification settings for your account. An administrator can change them.',
} as const;

export const resetTexts = {
  subject: 'Reset your password',
  greeting: (firstName: string) => `Hello ${firstName},`,
  asked: 'We received a request to reset the password for your account.',
  button: 'Choose a new password',
  expires: 'The link works once and expires in one hour.',
  notYou: "If you didn't ask for this, ignore this message. Your password stays the same.",
} as const;

/** To a new user. `company` is null for an administrator of the installation. */
export const inviteTexts = (company: string | null) => ({
  subject: company === null ? 'Your Roomside account' : `Your account at ${company}`,
  greeting: resetTexts.greeting,
  asked:
    company === null
      ? 'An account to administer Roomside was created for you. Choose a password to sign in.'
      : `An account was created for you at ${company}. Choose a password to sign in.`,
  button: 'Choose a password',
  expires: 'The link works once and expires in 7 days.',
  notYou: "If you didn't expect this, ignore this message.",
});

/** To the email of a sign-up. It contains nothing that was typed: the reader may be another person. */
export const signUpTexts = {
  subject: 'Confirm your email for Roomside',
  asked: 'This email address was used to create a Roomside account for a new clinic. Open the link to finish.',
  button: 'Create the account',
  next: 'You will need the password you chose. The link works once and expires in 24 hours.',
  notYou: "If you didn't ask for this, ignore this message. No account is created.",
} as const;

/** To the email of a sign-up that has an account already. */
export const knownEmailTexts = {
  subject: 'You already have an account',
  asked: 'This email address was used to create a Roomside account, but you already have one. Sign in with it.',
  button: 'Sign in',
  next: 'If you have forgotten your password, choose Reset Password on that page.',
  notYou: "If you didn't ask for this, ignore this message. Nothing has changed.",
} as const;

/** To the email or phone that was typed in a booking by link. */
export const bookingCodeTexts = {
  subject: (company: string) => `Your code for ${company}`,
  title: 'Confirm your booking',
  intro: (company: string) => `Enter this code to book your video visit with ${company}.`,
  code: 'Code',
  expires: 'The code expires in 10 minutes.',
  notYou: "If you didn't ask for a visit, ignore this message: nothing has been booked.",
  text: (company: string, code: string) =>
    `${company}: your code is ${code}. Enter it to book your video visit. Didn't ask for one? Ignore this message.`,
} as const;

/** To a person whom staff have invited to a visit by a link. Says nothing about the patient. */
export const guestTexts = {
  subject: (company: string) => `Invitation to a video visit at ${company}`,
  title: 'You\u2019re invited to a video visit',
  greeting: (name: string) => `Hello ${name},`,
  intro: (company: string, doctor: string) => `${company} invites you to join a video visit with ${doctor}.`,
  join: 'Join the visit',
  private: 'The link is for you only and works until the visit ends. Please don\u2019t share it.',
  notYou: 'If you don\u2019t know why you got this message, ignore it.',
  text: (company: string, link: string) => `${company} invites you to a video visit. Join: ${link}`,
} as const;

/** To a user's previous address. */
export const emailChangedTexts = {
  subject: 'Your email address was changed',
  changed: 'The email address for your account was changed. You can no longer sign in with this one.',
  notYou: "If you didn't change it, contact your administrator right away.",
} as const;

/** To a user whose ways to sign in have changed. */
export const accountSecurityTexts = {
  greeting: resetTexts.greeting,
  changes: {
    'authenticator-added': {
      subject: 'An authenticator app was added to your account',
      text: 'An authenticator app was added to your account. Signing in asks for a code from it after your password.',
    },
    'authenticator-removed': {
      subject: 'The authenticator app was removed from your account',
      text: 'The authenticator app was removed from your account. Its codes no longer work.',
    },
    'passkey-added': {
      subject: 'A passkey was added to your account',
      text: 'A passkey was added to your account. It signs in without your password.',
    },
    'passkey-removed': {
      subject: 'A passkey was removed from your account',
      text: 'A passkey was removed from your account. It no longer signs in.',
    },
    'second-factor-reset': {
      subject: 'Two-step sign-in was reset for your account',
      text: 'An administrator removed the passkeys, the authenticator app and the recovery codes from your account. You were signed out everywhere. Sign in with your password and set them up again in My Account.',
    },
    'recovery-codes-created': {
      subject: 'New recovery codes were created for your account',
      text: 'New recovery codes were created for your account. The old ones no longer work.',
    },
    'recovery-code-used': {
      subject: 'A recovery code was used to sign in to your account',
      text: 'Someone signed in to your account with your password and a recovery code. This code no longer works.',
    },
    'external-account-disconnected': {
      subject: 'Your account was disconnected from an external account',
      text: 'An administrator disconnected your account from the external account that you sign in with. You were signed out everywhere. The next external account with this email address that you sign in with is connected.',
      note: "If you didn't expect this, contact your administrator.",
    },
  },
  notYou: "If this wasn't you, change your password right away and contact your administrator.",
} as const;

export const exportReadyTexts = {
  greeting: resetTexts.greeting,
  subject: (company: string) => `The export of ${company} is ready`,
  ready: (company: string) =>
    `The export of all data of ${company} is ready. You can download it once, after entering your password.`,
  button: 'Open the export',
  expires: 'It is deleted after 48 hours.',
  notYou: 'If you did not ask for it, delete the export and change your password right away.',
} as const;

/** To administrators, about the automatic renewal of their license. */
export const licenseTexts = {
  greeting: resetTexts.greeting,
  button: 'Open licensing',
  notice: {
    subject: (company: string) => `The license of ${company} will be renewed`,
    text: (company: string, day: string) =>
      `The license of ${company} ends on ${day}. It will be renewed for one year before that day, as you have chosen.`,
    card: (total: string, last4: string | undefined) =>
      last4 === undefined
        ? `It costs ${total}. There is no card to charge: please add one, or the license will expire.`
        : `We will charge ${total} to the card ending in ${last4}.`,
    free: 'It is free. No card is needed.',
    off: 'To change the card or the number of providers, or to switch the automatic renewal off, open licensing before that.',
  },
  renewed: {
    subject: (company: string) => `The license of ${company} was renewed`,
    text: (company: string, day: string) => `The license of ${company} was renewed. It is now valid until ${day}.`,
    card: (total: string, last4: string) => `We have charged ${total} to the card ending in ${last4}.`,
    invoice: (number: number) => `Invoice ${number} is in your list of invoices.`,
  },
  failed: {
    subject: (company: string) => `The license of ${company} could not be renewed`,
    text: (company: string, day: string) =>
      `The license of ${company} ends on ${day}. We tried to renew it, but could not charge a card.`,
    next: 'Please check your cards, or renew it yourself. We try again once a day.',
  },
} as const;

export const calendarTexts = {
  summary: (company: string) => `Video visit with ${company}`,
  description: (link: string, code: string) => `Join: ${link}\nAccess code: ${code}`,
} as const;

/** The titles of calendar feeds, which name no patient. */
export const feedTexts = {
  name: (of: string) => `${of} (Roomside)`,
  appointment: 'Appointment',
} as const;

/** Why a message was not sent. They are stored and logged, so they contain no name, address or number of a person. */
export const deliveryTexts = {
  noMailServer: 'No mail server is set up (SMTP_URL).',
  noGateway: 'No text message gateway is set up (SMS_URL).',
  mailUnreachable: 'The mail server could not be reached.',
  mailClear: 'The mail server does not offer valid encryption (STARTTLS).',
  mailSignIn: 'The mail server rejected our sign-in.',
  test: 'This is a test visit: nothing is sent.',
  otherPatient: 'The appointment now belongs to another patient.',
  mailLater: (code: number) => `The mail server could not accept the message (${code}).`,
  mailRefused: (code: number) => `The mail server rejected the message (${code}).`,
  gatewayUnreachable: 'The text message gateway could not be reached.',
  gatewayLater: (status: number) => `The text message gateway could not accept the message (${status}).`,
  gatewayRefused: (status: number) => `The text message gateway rejected the message (${status}).`,
  noEmail: 'The patient no longer has an email.',
  noPhone: 'The patient no longer has a phone.',
  codeUnreadable:
    'The access code could not be read. Save the appointment to create a new one, then invite the patient.',
  noContact: 'The patient has no email or phone.',
  noRecipients: 'No recipients.',
  trialMessages: 'A new clinic has a limit of messages a day, and this message was above it.',
  enough: 'There were already several of these messages in the last hour.',
  noUserPhone: 'The user no longer has a phone.',
  userDisabled: 'The user’s account is disabled.',
  cancelled: 'The appointment was cancelled before the message was sent.',
  unaware: 'The patient does not know of the appointment.',
  movedAgain: 'The appointment was changed again before the message was sent.',
  restored: 'The appointment was restored before the message was sent.',
  superseded: 'Superseded by a later message.',
  noLongerWaiting: 'The patient was no longer waiting without a provider.',
  past: 'The appointment had started before the message was sent.',
  deleted: 'The appointment was deleted before the message was sent.',
  companyDisabled: 'The clinic’s account is disabled.',
  failed: 'The message could not be created.',
  busy: 'Another worker is sending this message.',
  earlierBusy: 'Another message to the patient is being sent.',
  held: 'The appointment was just moved, and may be moved back.',
} as const;

export const outboxTexts = {
  title: 'Outbox',
  about: 'What this demo would have sent by mail and text, newest first. Nothing leaves this computer.',
  empty: 'Nothing has been sent yet.',
  email: 'Email',
  text: 'Text',
  to: 'To',
  refresh: 'Refresh',
  attachment: 'Calendar entry',
} as const;
