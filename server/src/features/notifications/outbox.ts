import type { Database } from '../../platform/database/database.ts';
import type { Transports } from './delivery.ts';

/** A file attached to a message. */
export interface OutboxAttachment {
  name: string;
  text: string;
}

/** The transports of the demo: each message becomes a row, shown at /dev/outbox. */
export function outboxTransports(db: Database): Transports {
  return {
    async mail(mail, now) {
      const attachments: OutboxAttachment[] = mail.calendar ? [{ name: 'visit.ics', text: mail.calendar.content }] : [];
      const recipient = mail.to.name ? `${mail.to.name} <${mail.to.address}>` : mail.to.address;
      await db.open({ kind: 'unauthenticated' }, (tx) =>
        tx
          .insertInto('outbox')
          .values({
            occurred_at: now,
            method: 'email',
            recipient,
            subject: mail.subject,
            body_text: mail.text,
            body_html: mail.html,
            attachments: JSON.stringify(attachments),
          })
          .execute(),
      );
    },
    async text({ to, text }, now) {
      await db.open({ kind: 'unauthenticated' }, (tx) =>
        tx.insertInto('outbox').values({ occurred_at: now, method: 'text', recipient: to, body_text: text }).execute(),
      );
    },
  };
}
