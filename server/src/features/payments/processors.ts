import type { CardFailure, ProcessorName } from '@roomside/contract/payments/processors.ts';

/** The account of a company, or of the installation, at a processor. */
export interface Account {
  readonly processor: ProcessorName;
  /** The public key (pmtUser). */
  readonly user: string;
  /** The secret key (pmtPassword). Never leaves the server. */
  readonly password: string;
}

export interface ChargeRequest {
  /** The idempotency key: asked twice with the same key, the processor charges once and answers the same. */
  readonly key: string;
  /** Decimal with two places. */
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
  /** A token of the processor's widget, or a card that the processor keeps. */
  readonly method: string;
  /** When the charge was created, ISO. Processors keep idempotency keys for some time only. */
  readonly createdAt: string;
  /** Whether the person is there to confirm; not so for a renewal by itself. */
  readonly isAttended: boolean;
}

/** How a charge ended, or what it waits for. `externalId` is the processor's. */
export type ChargeOutcome =
  | { readonly is: 'paid'; readonly externalId: string; readonly card: CardWords }
  | { readonly is: 'failed'; readonly externalId: string; readonly failure: CardFailure }
  | { readonly is: 'action'; readonly externalId: string; readonly actionToken: string };

/** What may be shown of a card. */
export interface CardWords {
  readonly brand: string;
  readonly last4: string;
}

/** A card that the processor keeps for later charges. */
export interface KeptCard extends CardWords {
  /** The processor's name of the card, which later charges name as `method`. */
  readonly reference: string;
  /** 1 to 12. */
  readonly month: number;
  readonly year: number;
}

/** The processor did not answer, or not in time: whether it has done what was asked is not known. Ask again by the same key. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

/** The processor refuses the account's keys. */
export class WrongKeys extends Error {
  override name = 'WrongKeys';
}

/** How a charge that was paid stands at its processor. */
export interface Facts {
  readonly isRefunded: boolean;
  /** There were refunds, and none has reached the card. */
  readonly isReturned: boolean;
  /** A dispute is open, or was decided against the clinic. */
  readonly isDisputed: boolean;
}

/** Messages of a processor about a company's charges. */
export interface Listening {
  /** What signs them; '' when the processor sends none, then the charges are asked about all the same. */
  readonly secret: string;
  /** Ends all earlier messages to the same company. */
  keep(): Promise<void>;
  /** Ends these messages, and no earlier ones. */
  drop(): Promise<void>;
}

/** What Roomside needs of a payment processor. Every function may throw {@link NoAnswer} and {@link WrongKeys}. */
export interface Processor {
  /** Charges once, whatever how often it is asked with the same key. */
  charge(account: Account, request: ChargeRequest): Promise<ChargeOutcome>;
  /** How a charge that waits for a confirmation stands now. */
  find(account: Account, charge: { key: string; externalId: string }): Promise<ChargeOutcome>;
  /** Gives up a charge that waits for a confirmation. The outcome is `paid` when it was confirmed meanwhile. */
  cancel(account: Account, charge: { key: string; externalId: string }): Promise<ChargeOutcome>;
  /**
   * Returns everything that was paid, once, whatever how often it is asked. False: the processor does not accept it. `refundAskedAt` is the same
   * each time that one request is asked again, and another one for a later request, whose answer may be another.
   */
  refund(account: Account, charge: { key: string; externalId: string; refundAskedAt: string | null }): Promise<boolean>;
  /** How a paid charge stands. */
  inspect(account: Account, charge: { key: string; externalId: string }): Promise<Facts>;
  /** Keeps the card of a token for later charges. */
  keepCard(account: Account, token: string, owner: string): Promise<KeptCard | { readonly failure: CardFailure }>;
  /** Deletes a card that the processor keeps. Does nothing when it has been deleted. */
  dropCard(account: Account, reference: string): Promise<void>;
  /** Asks the processor to send messages about a company's charges, besides the earlier ones. */
  listen(account: Account, companyUid: string): Promise<Listening>;
  /** Whether the account's keys fit together and work. */
  test(account: Account): Promise<void>;
}
