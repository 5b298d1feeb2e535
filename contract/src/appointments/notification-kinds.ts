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

/**
 * Whether a message about the appointment was sent to the patient or is queued, and none about its cancellation since: a restored appointment
 * needs another invitation.
 *
 * @param messages those to the patient, the latest first
 */
export function isPatientNotified(
  messages: readonly { readonly kind: NotificationKind; readonly state: string }[],
): boolean {
  const given = messages.filter(({ state }) => state === 'sent' || state === 'queued');
  const last = given.find(({ kind }) => !isAboutMoney(kind));
  return given.length > 0 && last?.kind !== 'cancelled';
}
