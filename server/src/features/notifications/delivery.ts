import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { requireNoTransaction } from '../../platform/database/scope.ts';
import type { VisitCalendar } from './calendar.ts';

export interface Mail {
  /** The same for each try of one message, so that mail programs can tell a repeat. */
  readonly id: string;
  readonly to: { readonly name: string; readonly address: string };
  /** Where answers go; '' = to the sender. */
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
 * How messages leave. Resolves once the other side has taken a message. Never called inside a transaction: a mail
 * server may take a minute.
 *
 * @throws DeliveryError
 */
export interface Transports {
  /** `now` is ISO. */
  mail(mail: Mail, now: string): Promise<void>;
  text(text: TextMessage, now: string): Promise<void>;
}

/** A message that is made and has to leave. */
export type Message =
  | { readonly method: 'email'; readonly mail: Mail }
  | { readonly method: 'text'; readonly text: TextMessage };

export function sendMessage(transports: Transports, message: Message, now: string): Promise<void> {
  requireNoTransaction('A message was sent');
  return message.method === 'email' ? transports.mail(message.mail, now) : transports.text(message.text, now);
}

/**
 * Sends a message that no row keeps track of: one that can never leave is logged as `what`, with the ids in `about`, and given up, anything else is
 * thrown, so that its job tries again.
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

/** A message did not leave. The sentence is for staff and the log: it names no person, address or number. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Trying again would not help. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}
