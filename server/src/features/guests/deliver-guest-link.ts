import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { JobContext } from '../notifications/deliver-notification.ts';
import { type Message, sendOrGiveUp, type Transports } from '../notifications/delivery.ts';
import { renderMail } from '../notifications/mail-frame.ts';
import { guestTexts as texts } from '../notifications/texts.ts';
import { openGuest } from './guest-rows.ts';

export const guestLinkQueue = 'guest-link';
export interface GuestLinkJob {
  companyId: number;
  guestId: number;
  /** Counts the messages with this link. */
  number: number;
}

/** Sends the link of an invitation, unless it has ended meanwhile. */
export async function deliverGuestLink(
  context: JobContext,
  transports: Transports,
  { companyId, guestId, number }: GuestLinkJob,
): Promise<void> {
  const now = isoNow(context.clock);
  const message = await context.db.open({ kind: 'job', companyId }, async (tx): Promise<Message | null> => {
    const row = await tx
      .selectFrom('visit_guests as g')
      .innerJoin('appointments as a', 'a.appointment_id', 'g.appointment_id')
      .innerJoin('users as u', 'u.user_id', 'a.doctor_id')
      .innerJoin('companies as c', 'c.company_id', 'g.company_id')
      .select(['g.guest_uid', 'g.name', 'g.link_cipher', 'g.contact', 'u.first_name', 'u.last_name'])
      .select(['c.company_name', 'c.support_email'])
      .where('g.guest_id', '=', guestId)
      .where(sql<boolean>`guest_is_valid(g.guest_id, ${now})`)
      .executeTakeFirst();
    if (!row) return null;
    const { link, contact } = await openGuest(tx, context, companyId, row);
    const company = row.company_name;
    if (!contact.includes('@')) return { method: 'text', text: { to: contact, text: texts.text(company, link) } };
    return {
      method: 'email',
      mail: {
        id: `guest-${guestId}-${number}`,
        to: { name: row.name, address: contact },
        replyTo: row.support_email,
        subject: texts.subject(company),
        ...renderMail(texts.title, [
          { text: texts.greeting(row.name) },
          { text: texts.intro(company, `${row.first_name} ${row.last_name}`) },
          { link, label: texts.join },
          { note: texts.private },
          { note: texts.notYou },
        ]),
        calendar: null,
      },
    };
  });
  if (message) await sendOrGiveUp(context, transports, message, 'the link of an invitation', { companyId, guestId });
}
