import type { Tx } from '../../platform/database/database.ts';
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

/** The job's transaction, for what is delivered into the database itself. */
export interface Posting {
  readonly tx: Tx;
  /** ISO. */
  readonly now: string;
}

/**
 * How messages leave. Answers once the other side has taken a message.
 *
 * @throws DeliveryError
 */
export interface Transports {
  mail(mail: Mail, posting: Posting): Promise<void>;
  text(text: TextMessage, posting: Posting): Promise<void>;
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
