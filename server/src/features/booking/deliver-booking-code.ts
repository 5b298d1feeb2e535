import { isoNow } from '../../platform/clock.ts';
import type { JobContext } from '../notifications/deliver-notification.ts';
import { type Message, sendOrGiveUp, type Transports } from '../notifications/delivery.ts';
import { renderMail } from '../notifications/mail-frame.ts';
import { bookingCodeTexts as texts } from '../notifications/texts.ts';
import { type BookingCodeJob, readConfirmation } from './confirm-contact.ts';

/** Sends the code of a booking, without any text from the form: the contact may be another person's. */
export async function deliverBookingCode(
  context: JobContext,
  transports: Transports,
  { companyId, holdUid }: BookingCodeJob,
): Promise<void> {
  const now = isoNow(context.clock);
  const message = await context.db.open({ kind: 'job', companyId }, async (tx): Promise<Message | null> => {
    const hold = await tx
      .selectFrom('holds as h')
      .innerJoin('companies as c', 'c.company_id', 'h.company_id')
      .select(['h.hold_uid', 'h.confirmation', 'h.codes_sent', 'c.company_name', 'c.support_email'])
      .where('h.hold_uid', '=', holdUid)
      .where('h.expires_at', '>', now)
      .executeTakeFirst();
    const confirmation = hold && (await readConfirmation(tx, context, companyId, hold));
    if (!hold || !confirmation) return null;
    const { to, code, method } = confirmation;
    if (method === 'text') return { method, text: { to, text: texts.text(hold.company_name, code) } };
    return {
      method,
      mail: {
        id: `booking-${holdUid}-${hold.codes_sent}`,
        to: { name: '', address: to },
        replyTo: hold.support_email,
        subject: texts.subject(hold.company_name),
        ...renderMail(texts.title, [
          { text: texts.intro(hold.company_name) },
          { facts: [[texts.code, code]] },
          { text: texts.expires },
          { note: texts.notYou },
        ]),
        calendar: null,
      },
    };
  });
  if (!message) return;
  await sendOrGiveUp(context, transports, message, 'the code of a booking', { companyId });
}
