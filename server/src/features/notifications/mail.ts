import { addressOf } from './calendar.ts';
import { DeliveryError, isBeforeSending, type Transports } from './delivery.ts';
import { deliveryTexts } from './texts.ts';

/** Timeouts of nodemailer, ms. */
const timeouts = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** Timeout of one mail with all its steps, ms: shorter than the job queue's. */
const timeoutMs = 50_000;

/**
 * Connections are kept for further mails. One that was idle is closed before servers and firewalls drop it, which RFC 5321
 * (4.5.3.2.7) permits after five minutes. A mail whose connection breaks is not sent again here: the job decides that.
 */
const pooling = { pool: true, maxConnections: 2, maxMessages: 100, idleTimeout: 30_000, maxRequeues: 0 } as const;

export interface SmtpMail {
  readonly send: Transports['mail'];
  /** Closes the connections; one that sends a mail finishes it before. */
  close(): void;
}

/**
 * Sends mail by SMTP, over at most two connections at a time. Mails contain links and codes, so a server without encryption
 * is refused.
 *
 * @param url SMTP_URL; its query may contain further options of nodemailer, such as maxConnections
 * @param mayBeClear allows a server without encryption
 */
export function smtpMail(url: string, from: string, mayBeClear: boolean): SmtpMail {
  const address = new URL(url);
  // nodemailer prefers the query of the address to the options below.
  if (!mayBeClear) address.searchParams.delete('requireTLS');
  const domain = addressOf(from).split('@')[1] ?? 'roomside';
  const open = async () => {
    // Loaded with the first mail, since it takes 5 MB of memory.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      ...pooling,
      url: address.href,
      ...timeouts,
      ...(!mayBeClear && { requireTLS: true }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let opening: ReturnType<typeof open> | undefined;
  const send: SmtpMail['send'] = async (mail) => {
    opening ??= open();
    const transport = await opening;
    try {
      await transport.sendMail({
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
        // Closes the connection of this mail.
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      throw toDeliveryError(error);
    }
  };
  return { send, close: () => void opening?.then((transport) => transport.close()) };
}

/** What nodemailer adds to its errors. */
interface SmtpError {
  readonly code: string;
  readonly responseCode: number;
  /** Node's code, when `code` is nodemailer's. */
  readonly originalCode: string;
  readonly timeoutType: string;
}

/** Keeps only the number of an SMTP reply: its text contains addresses. 5xx is permanent (RFC 5321, 4.2.1). */
function toDeliveryError(error: unknown): DeliveryError {
  const { code, responseCode, originalCode, timeoutType } = error as Partial<SmtpError>;
  // The operator can correct these settings, so the mail is retried.
  if (code === 'ETLS') return new DeliveryError(deliveryTexts.mailClear, false, 'server');
  if (code === 'EAUTH') return new DeliveryError(deliveryTexts.mailSignIn, false, 'server');
  if (responseCode === undefined)
    return new DeliveryError(
      deliveryTexts.mailUnreachable,
      false,
      'server',
      !isBeforeSending(code, originalCode, timeoutType),
    );
  return responseCode >= 500
    ? new DeliveryError(deliveryTexts.mailRefused(responseCode), true, 'address')
    : new DeliveryError(deliveryTexts.mailLater(responseCode), false);
}
