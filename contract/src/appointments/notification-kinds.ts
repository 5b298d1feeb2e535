/** What a patient is notified of about an appointment. */
export const patientNoticeKinds = ['invitation', 'newTime', 'cancelled', 'reminder'] as const;
export type PatientNotice = (typeof patientNoticeKinds)[number];

/** What the staff are notified of. */
export const userNoticeKinds = ['arrival', 'nudge'] as const;
export type UserNotice = (typeof userNoticeKinds)[number];

/** Every kind that a row of `notificationLogs` may have. */
export const notificationKinds = [...patientNoticeKinds, ...userNoticeKinds] as const;
export type NotificationKind = (typeof notificationKinds)[number];
