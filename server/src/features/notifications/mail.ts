import { createTransport } from 'nodemailer';
import { addressOf } from './calendar.ts';
import { DeliveryError, type Transports } from './delivery.ts';
import { deliveryTexts } from './texts.ts';

/** Each step, ms. */
const timeouts = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** All of a sending: less than a job's run, and the transaction around it, may take, ms. A server may be slow at every step. */
const timeoutMs = 50_000;

/**
 * Sends by SMTP, one connection per mail. `url` is SMTP_URL, whose query may carry more of nodemailer's options. A server
 * that offers no encryption gets no mail: they carry links and codes. `mayBeClear` allows it.
 */
export function smtpMail(url: string, from: string, mayBeClear: boolean): Transports['mail'] {
  const address = new URL(url);
  // The query of the address goes before what is given beside it.
  if (!mayBeClear) address.searchParams.delete('requireTLS');
  const domain = addressOf(from).split('@')[1] ?? 'roomside';
  return async (mail) => {
    const transport = createTransport({
      url: address.href,
      ...timeouts,
      ...(!mayBeClear && { requireTLS: true }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('The mail server takes too long.')), timeoutMs);
    try {
      const sent = transport.sendMail({
        from,
        to: mail.to,
        ...(mail.replyTo && { replyTo: mail.replyTo }),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: `<${mail.id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(mail.calendar && {
          icalEvent: { method: mail.calendar.method, content: mail.calendar.content, filename: 'visit.ics' },
        }),
      });
      await Promise.race([sent, late]);
    } catch (error) {
      throw toDeliveryError(error);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  };
}

/** A mail server's answer quotes addresses: only its number is kept. 5xx means never (RFC 5321, 4.2.1). */
function toDeliveryError(error: unknown): DeliveryError {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  // A wrong password is ours to put right; the mail can wait.
  if (code === 'ETLS') return new DeliveryError(deliveryTexts.mailClear, false);
  if (code === 'EAUTH') return new DeliveryError(deliveryTexts.mailSignIn, false);
  if (responseCode === undefined) return new DeliveryError(deliveryTexts.mailAway, false);
  return responseCode >= 500
    ? new DeliveryError(deliveryTexts.mailRefused(responseCode), true)
    : new DeliveryError(deliveryTexts.mailLater(responseCode), false);
}
