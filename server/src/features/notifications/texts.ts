/** Every word of mails, text messages and calendar entries. Subjects and entries say nothing about anybody's health. */

/**
 * To patients: by kind the subject, title, first sentence and text message; `now` in place of all where the visit starts
 * at once. Text messages have plain characters only: one other character halves what fits into one.
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
    intro: (company: string) => `${company} is waiting for you in a video visit now.`,
    text: (company: string, _when: string, link: string, code: string) =>
      `${company}: your video visit starts now. Join: ${link} (code ${code})`,
  },
  newTime: {
    subject: (company: string, day: string) => `New time for your video visit with ${company}: ${day}`,
    title: 'Your video visit has a new time',
    intro: (company: string) => `Your video visit with ${company} has been moved. This is how it stands now.`,
    text: (company: string, when: string, link: string, code: string) =>
      `${company}: your video visit has been moved to ${when}. Join: ${link} (code ${code})`,
  },
  reminder: {
    subject: (company: string, day: string) => `Reminder: your video visit with ${company} on ${day}`,
    title: 'Your video visit is soon',
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
  greeting: (firstName: string) => `Hello ${firstName},`,
  greetingAnyone: 'Hello,',
  doctor: 'With',
  when: 'When',
  whenNow: 'Now',
  code: 'Access code',
  join: 'Join the visit',
  howTo:
    'Open the link on a phone, tablet or computer with a camera and a microphone, in a current browser, and allow both when it asks. There is nothing to install and no password.',
  early: 'The link works from now on: before the visit it shows you the time, and the room opens an hour before.',
  change: 'You need another time, or cannot come? Open the link and choose \u201cMove or cancel\u201d.',
  private: 'The link and the code are for you alone. Please do not pass them on.',
  help: (email: string) => `Questions? Write to ${email}.`,
} as const;

/** To users who hear of a provider's arrivals. */
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
  open: 'Open the waiting room',
  why: 'You get this because your clinic asked for it. An administrator can change that in your user settings.',
} as const;

export const resetTexts = {
  subject: 'Reset your password',
  greeting: (firstName: string) => `Hello ${firstName},`,
  asked: 'Somebody, hopefully you, asked for a new password for your account.',
  button: 'Pick a new password',
  expires: 'The link works once, within one hour.',
  notYou: 'If it was not you, do nothing: your password stays as it is.',
} as const;

/** To the contact that somebody typed who books by link. */
export const bookingCodeTexts = {
  subject: (company: string) => `Your code for ${company}`,
  title: 'Confirm your booking',
  intro: (company: string) => `Enter this code to book your video visit with ${company}.`,
  code: 'Code',
  expires: 'It works for 10 minutes.',
  notYou: "If you didn't ask for a visit, ignore this message: nothing has been booked.",
  text: (company: string, code: string) =>
    `${company}: your code is ${code}. Enter it to book your video visit. Didn't ask for one? Ignore this message.`,
} as const;

/** To the address that a user had before. */
export const emailChangedTexts = {
  subject: 'Your email address was changed',
  changed: 'The email address of your account was changed. You can no longer sign in with this one.',
  notYou: 'If you did not change it, contact your administrator right away.',
} as const;

export const calendarTexts = {
  summary: (company: string) => `Video visit with ${company}`,
  description: (link: string, code: string) => `Join: ${link}\nAccess code: ${code}`,
} as const;

/** Why a message did not leave: stored with it and logged, so nobody's name, address or number. */
export const deliveryTexts = {
  noMailServer: 'No mail server is set up (SMTP_URL).',
  noGateway: 'No gateway for text messages is set up (SMS_URL).',
  mailAway: 'The mail server could not be reached.',
  mailClear: 'The mail server offers no encryption (STARTTLS), or not a valid one.',
  mailSignIn: 'The mail server refused our sign-in.',
  otherPatient: 'The appointment has become another patient\u2019s.',
  mailLater: (code: number) => `The mail server could not take the message (${code}).`,
  mailRefused: (code: number) => `The mail server refused the message (${code}).`,
  gatewayAway: 'The gateway for text messages could not be reached.',
  gatewayLater: (status: number) => `The gateway could not take the message (${status}).`,
  gatewayRefused: (status: number) => `The gateway refused the message (${status}).`,
  noEmail: 'The patient has no email any more.',
  noPhone: 'The patient has no phone any more.',
  codeLost: 'The access code could not be read. Save the appointment to make a new one, then invite the patient.',
  noContact: 'The patient has neither email nor phone.',
  nobody: 'Nobody is to be told.',
  noUserPhone: 'The user has no phone any more.',
  userGone: 'The user’s account is disabled.',
  cancelled: 'The appointment was cancelled before the message left.',
  movedAgain: 'The appointment was changed again before the message left.',
  alive: 'The appointment was no longer cancelled when the message was to leave.',
  overtaken: 'A later message tells the latest.',
  past: 'The appointment had begun before the message left.',
  gone: 'The appointment was deleted before the message left.',
  companyDisabled: 'The clinic’s account is disabled.',
  failed: 'The message could not be made.',
  busy: 'Another worker is sending this message.',
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
