import type { Mail, Posting, TextMessage } from './delivery.ts';

/** One file beside a message. */
export interface OutboxAttachment {
  name: string;
  text: string;
}

/** The demo's mail: a row that /dev/outbox shows, kept if and only if the job's work is. */
export async function outboxMail(mail: Mail, { tx, now }: Posting): Promise<void> {
  const attachments: OutboxAttachment[] = mail.calendar ? [{ name: 'visit.ics', text: mail.calendar.content }] : [];
  const recipient = mail.to.name ? `${mail.to.name} <${mail.to.address}>` : mail.to.address;
  await tx
    .insertInto('outbox')
    .values({
      at: now,
      method: 'email',
      recipient,
      subject: mail.subject,
      body_text: mail.text,
      body_html: mail.html,
      attachments: JSON.stringify(attachments),
    })
    .execute();
}

export async function outboxText({ to, text }: TextMessage, { tx, now }: Posting): Promise<void> {
  await tx.insertInto('outbox').values({ at: now, method: 'text', recipient: to, body_text: text }).execute();
}
