import { isoNow } from '../platform/clock.ts';
import type { Jobs } from '../platform/context.ts';
import type { JobAttempt, JobHandlers } from '../platform/jobs.ts';
import { deliverSignUpMail, type SignUpMailJob, signUpMailQueue } from './auth/deliver-sign-up-mail.ts';
import { type BookingCodeJob, bookingCodeQueue } from './booking/confirm-contact.ts';
import { deliverBookingCode } from './booking/deliver-booking-code.ts';
import { deliverGuestLink, type GuestLinkJob, guestLinkQueue } from './guests/deliver-guest-link.ts';
import {
  type AccountSecurityJob,
  accountSecurityQueue,
  deliverAccountSecurity,
} from './notifications/deliver-account-security.ts';
import { deliverEmailChanged, type EmailChangedJob, emailChangedQueue } from './notifications/deliver-email-changed.ts';
import { deliverExportReady, type ExportReadyJob, exportReadyQueue } from './notifications/deliver-export-ready.ts';
import { deliverLicenseMail, type LicenseMailJob, licenseMailQueue } from './notifications/deliver-license-mail.ts';
import { deliverNotification, type JobContext } from './notifications/deliver-notification.ts';
import { deliverPasswordMail, type PasswordMailJob, passwordMailQueue } from './notifications/deliver-password-mail.ts';
import type { Transports } from './notifications/delivery.ts';
import { type NotificationJob, notificationQueue } from './notifications/queue-notification.ts';
import { queueUserNotices, type UserNoticeJob, userNoticeQueue } from './notifications/user-notices.ts';

/** Returns the handlers of the job queues that send messages. `jobs` is called only after the queues have started. */
export function jobHandlers(context: JobContext, transports: Transports, jobs: () => Jobs): JobHandlers {
  return {
    [notificationQueue]: (job: NotificationJob, attempt: JobAttempt) =>
      deliverNotification(context, transports, job, attempt),
    [userNoticeQueue]: (job: UserNoticeJob) => queueUserNotices(context, jobs(), job, isoNow(context.clock)),
    [emailChangedQueue]: (job: EmailChangedJob, attempt: JobAttempt) =>
      deliverEmailChanged(context, transports, job, attempt),
    [accountSecurityQueue]: (job: AccountSecurityJob, attempt: JobAttempt) =>
      deliverAccountSecurity(context, transports, job, attempt),
    [bookingCodeQueue]: (job: BookingCodeJob) => deliverBookingCode(context, transports, job),
    [guestLinkQueue]: (job: GuestLinkJob) => deliverGuestLink(context, transports, job),
    [signUpMailQueue]: (job: SignUpMailJob) => deliverSignUpMail(context, transports, job),
    [exportReadyQueue]: (job: ExportReadyJob) => deliverExportReady(context, transports, job),
    [licenseMailQueue]: (job: LicenseMailJob, attempt: JobAttempt) =>
      deliverLicenseMail(context, transports, job, attempt),
    [passwordMailQueue]: (job: PasswordMailJob) => deliverPasswordMail(context, transports, job),
  };
}
