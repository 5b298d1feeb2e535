import type { JobAttempt, JobHandlers } from '../../platform/jobs.ts';
import { deliverNotification, type JobContext } from './deliver-notification.ts';
import { deliverResetMail, type ResetMailJob, resetMailQueue } from './deliver-reset-mail.ts';
import { type NotificationJob, notificationQueue } from './queue-notification.ts';
import { makeTransports } from './transports.ts';

/** What the server sends to people, by the queue that asks for it. */
export function notificationHandlers(context: JobContext): JobHandlers {
  const transports = makeTransports(context.settings, context.demo);
  return {
    [notificationQueue]: (job: NotificationJob, attempt: JobAttempt) =>
      deliverNotification(context, transports, job, attempt),
    [resetMailQueue]: (job: ResetMailJob) => deliverResetMail(context, transports, job),
  };
}
