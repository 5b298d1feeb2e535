/** The notifications of a patient about an appointment. */
export const patientNoticeKinds = [
  'invitation',
  'newTime',
  'cancelled',
  'reminder',
  'receipt',
  'refunded',
  'refundFailed',
] as const;
export type PatientNotice = (typeof patientNoticeKinds)[number];

/** The notifications of staff. */
export const userNoticeKinds = ['arrival', 'nudge'] as const;
export type UserNotice = (typeof userNoticeKinds)[number];

/** All kinds of notifications. */
export const notificationKinds = [...patientNoticeKinds, ...userNoticeKinds] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** What was paid or returned is said whatever became of the appointment. */
export const isAboutMoney = (kind: NotificationKind): boolean =>
  kind === 'receipt' || kind === 'refunded' || kind === 'refundFailed';
