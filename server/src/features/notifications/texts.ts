/** Every word of mails, text messages and calendar entries. Subjects and entries say nothing about anybody's health. */

export const invitationTexts = {
  subject: (company: string, day: string) => `Your video visit with ${company} on ${day}`,
  subjectNow: (company: string) => `Your video visit with ${company} starts now`,
  title: 'Your video visit',
  greeting: (firstName: string) => `Hello ${firstName},`,
  greetingAnyone: 'Hello,',
  planned: (company: string) => `${company} has scheduled a video visit for you.`,
  now: (company: string) => `${company} is waiting for you in a video visit now.`,
  doctor: 'With',
  when: 'When',
  whenNow: 'Now',
  code: 'Access code',
  join: 'Join the visit',
  howTo:
    'Open the link on a phone, tablet or computer with a camera and a microphone, in a current browser, and allow both when it asks. There is nothing to install and no password.',
  early: 'The link works from now on: before the visit it shows you the time, and the room opens an hour before.',
  private: 'The link and the code are for you alone. Please do not pass them on.',
  help: (email: string) => `Questions? Write to ${email}.`,
  /** Plain characters only: one other character halves what fits into a text message. */
  text: (company: string, when: string, link: string, code: string) =>
    `${company}: your video visit is on ${when}. Join: ${link} (code ${code})`,
  textNow: (company: string, link: string, code: string) =>
    `${company}: your video visit starts now. Join: ${link} (code ${code})`,
} as const;

export const resetTexts = {
  subject: 'Reset your password',
  greeting: (firstName: string) => `Hello ${firstName},`,
  asked: 'Somebody, hopefully you, asked for a new password for your account.',
  button: 'Pick a new password',
  expires: 'The link works once, within one hour.',
  notYou: 'If it was not you, do nothing: your password stays as it is.',
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
  mailSignIn: 'The mail server refused our sign-in.',
  mailLater: (code: number) => `The mail server could not take the message (${code}).`,
  mailRefused: (code: number) => `The mail server refused the message (${code}).`,
  gatewayAway: 'The gateway for text messages could not be reached.',
  gatewayLater: (status: number) => `The gateway could not take the message (${status}).`,
  gatewayRefused: (status: number) => `The gateway refused the message (${status}).`,
  noEmail: 'The patient has no email any more.',
  noPhone: 'The patient has no phone any more.',
  cancelled: 'The appointment was cancelled before the message left.',
  gone: 'The appointment was deleted before the message left.',
  companyDisabled: 'The clinic’s account is disabled.',
  unknownKind: 'This kind of message is not known.',
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
