import { isoNow } from '../../platform/clock.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { emailChangedTexts as texts } from './texts.ts';

export const emailChangedQueue = 'email-changed-mail';
export interface EmailChangedJob {
  userId: number;
  /** Where the user could be reached before; the mail goes there. */
  oldEmail: string;
}

/** Tells the old address of a user that it no longer signs in: the owner may not have changed it. */
export async function deliverEmailChanged(
  context: JobContext,
  transports: Transports,
  { userId, oldEmail }: EmailChangedJob,
): Promise<void> {
  const now = isoNow(context.clock);
  const blocks: Block[] = [{ text: texts.changed }, { text: texts.notYou }];
  const mail = {
    id: `email-changed-${userId}-${Date.parse(now)}`,
    to: { name: '', address: oldEmail },
    replyTo: '',
    subject: texts.subject,
    ...renderMail(texts.subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'the mail about a changed email', { userId });
}
