import type { JobAttempt } from '../../platform/jobs.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { emailChangedTexts as texts } from './texts.ts';

export const emailChangedQueue = 'email-changed-mail';
export interface EmailChangedJob {
  userId: number;
  /** The user's previous address; the mail goes there. */
  oldEmail: string;
}

/** Sends a mail to a user's old address that it no longer signs in: the change may not be the owner's. */
export async function deliverEmailChanged(
  context: JobContext,
  transports: Transports,
  { userId, oldEmail }: EmailChangedJob,
  { jobId }: JobAttempt,
): Promise<void> {
  const blocks: Block[] = [{ text: texts.changed }, { text: texts.notYou }];
  const mail = {
    id: `email-changed-${jobId}`,
    to: { name: '', address: oldEmail },
    replyTo: '',
    subject: texts.subject,
    ...renderMail(texts.subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'the mail about a changed email', { userId });
}
