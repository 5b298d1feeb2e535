import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { requireNoTransaction } from '../../platform/database/scope.ts';
import type { VisitCalendar } from './calendar.ts';

export interface Mail {
  /** The same for each attempt of one message, so that mail programs recognize a repeat. */
  readonly id: string;
  readonly to: { readonly name: string; readonly address: string };
  /** The Reply-To address; '' = the sender's. */
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly calendar: VisitCalendar | null;
}

export interface TextMessage {
  /** E.164. */
  readonly to: string;
  readonly text: string;
}

/**
 * Sends messages. Each function resolves when the server at the other end has accepted the message, and rejects with a
 * DeliveryError. Not called inside a transaction: a mail server may take a minute.
 */
export interface Transports {
  /** `now` is ISO. */
  mail(mail: Mail, now: string): Promise<void>;
  text(text: TextMessage, now: string): Promise<void>;
}

/** Transports with open connections. */
export interface OpenTransports extends Transports {
  /** Call when nothing is sent any more. */
  close(): void;
}

/** A message that is ready to be sent. */
export type Message =
  | { readonly method: 'email'; readonly mail: Mail }
  | { readonly method: 'text'; readonly text: TextMessage };

export function sendMessage(transports: Transports, message: Message, now: string): Promise<void> {
  requireNoTransaction('A message was sent');
  return message.method === 'email' ? transports.mail(message.mail, now) : transports.text(message.text, now);
}

/**
 * Sends a message that has no row in notification_logs. A permanent failure is only logged, with the ids in `about`; any
 * other error is thrown, so that the job retries.
 *
 * @param what what the log calls the message
 */
export async function sendOrGiveUp(
  { log, clock }: Pick<Context, 'log' | 'clock'>,
  transports: Transports,
  message: Message,
  what: string,
  about: Readonly<Record<string, number>>,
): Promise<void> {
  try {
    await sendMessage(transports, message, isoNow(clock));
  } catch (error) {
    if (!(error instanceof DeliveryError && error.permanent)) throw error;
    log.error({ ...about, reason: error.message }, `${what} was not sent`);
  }
}

/** `server`: other messages fail, too. `address`: messages to other addresses may be sent. */
type Fault = 'server' | 'address' | 'message';

/** A message was not sent, as far as is known. Staff and the log see its text: it contains no name, address or number of a person. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** A retry cannot succeed. */
  readonly permanent: boolean;
  readonly fault: Fault;
  /** Whether the message may have been accepted: there was no reply, or one of a proxy. */
  readonly isUncertain: boolean;

  constructor(message: string, permanent: boolean, fault: Fault = 'message', isUncertain = false) {
    super(message);
    this.permanent = permanent;
    this.fault = fault;
    this.isUncertain = isUncertain;
  }
}

/** Codes of errors of Node, its fetch and nodemailer before a message is transferred. */
const beforeSending = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['EDNS', 'CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'],
]);

/** Whether one of an error's codes says that the message was certainly not sent. */
export const isBeforeSending = (...codes: readonly (string | undefined)[]): boolean =>
  codes.some((code) => code !== undefined && beforeSending.has(code));
