import * as z from 'zod/mini';

/** The payment processors (ENTITY-6). `userLabel` and `passwordLabel` name their public and their secret key. */
export const processors = {
  sandbox: { displayName: 'Sandbox (test payments)', userLabel: 'Account name', passwordLabel: 'Account secret' },
  stripe: { displayName: 'Stripe', userLabel: 'Publishable key', passwordLabel: 'Secret key' },
} as const;
export type ProcessorName = keyof typeof processors;
export const processorNames = Object.keys(processors) as ProcessorName[];

export const processorName = z.enum(processorNames);

/** What a page needs to enter a card at a processor: no secret. */
export const processorOfPage = z.object({ processor: processorName, publicKey: z.string() });
export type ProcessorOfPage = z.infer<typeof processorOfPage>;

/** What a processor's widget makes from a card in the browser. It opens nothing but a charge of the processor's account. */
export const cardToken = z.string().check(z.regex(/^[A-Za-z0-9_-]{8,200}$/));

/** Why a card was not charged. Each has its words in refusals.ts. */
export const cardFailures = [
  'card-declined',
  'card-insufficient-funds',
  'card-expired',
  'card-code-wrong',
  'card-not-confirmed',
  'card-error',
] as const;
export type CardFailure = (typeof cardFailures)[number];

/** How many charges had ended, paid or not, when a page asked for a payment. */
export const endedCharges = z.int().check(z.nonnegative());
