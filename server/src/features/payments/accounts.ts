import type { ProcessorName } from '@roomside/contract/payments/processors.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { UnreadableValue } from '../../platform/envelope.ts';
import { openText, sealedPlaces } from '../../platform/sealed-text.ts';
import type { Charge } from '../charges/charge-rows.ts';
import {
  isAccountOf,
  licenseProcessorOf,
  type PaymentColumns,
  pageProcessorOf,
  paymentColumns,
} from '../charges/page-processor.ts';
import type { Account, Processor } from './processors.ts';
import { createSandbox } from './sandbox.ts';

type Parts = Pick<Context, 'db' | 'clock' | 'settings' | 'publicUrl'>;

/** Returns the adapter of a processor. Stripe's package is loaded with its first use: it takes 36 MB. */
export async function processorOf(parts: Parts, name: ProcessorName): Promise<Processor> {
  switch (name) {
    case 'sandbox':
      return createSandbox(parts);
    case 'stripe':
      return (await import('./stripe.ts')).createStripe(parts);
  }
}

/** The account that licenses are paid to: the installation's. Null: they cannot be paid by card. */
export function licenseAccount(settings: Context['settings']): Account | null {
  const page = licenseProcessorOf(settings);
  return page && { processor: page.processor, user: page.publicKey, password: settings.LICENSE_PASSWORD ?? '' };
}

/**
 * The account of a charge, by what it pays for. `replaced`: there is another one now, or none. `unreadable`: its secret cannot be read now. The
 * company's account cannot change until the transaction ends.
 */
export async function accountOf(
  tx: Tx,
  parts: Pick<Context, 'keys' | 'log' | 'settings'>,
  charge: Pick<Charge, 'appointment' | 'companyId' | 'processor' | 'account'>,
): Promise<Account | 'replaced' | 'unreadable'> {
  if (!charge.appointment) {
    const account = licenseAccount(parts.settings);
    return account && isAccountOf(licenseProcessorOf(parts.settings), charge) ? account : 'replaced';
  }
  const company = await companyOf(tx, charge.companyId).forShare().executeTakeFirstOrThrow();
  if (!isAccountOf(pageProcessorOf(company), charge)) return 'replaced';
  return (await openAccount(tx, parts, charge.companyId, company)) ?? 'unreadable';
}

/** The account that a company's patients pay to; null while it has none, or its secret cannot be read. */
export async function readAccount(tx: Tx, parts: KeyParts, companyId: number): Promise<Account | null> {
  return openAccount(tx, parts, companyId, await companyOf(tx, companyId).executeTakeFirstOrThrow());
}

type KeyParts = Pick<Context, 'keys' | 'log'>;

const companyOf = (tx: Tx, companyId: number) =>
  tx.selectFrom('companies').select(paymentColumns).where('company_id', '=', companyId);

async function openAccount(
  tx: Tx,
  { keys, log }: KeyParts,
  companyId: number,
  company: PaymentColumns,
): Promise<Account | null> {
  const page = pageProcessorOf(company);
  if (!page) return null;
  try {
    const password = await openText(
      tx,
      keys,
      companyId,
      company.payment_password,
      sealedPlaces.paymentPassword(companyId),
    );
    return { processor: page.processor, user: page.publicKey, password };
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    log.error({ companyId }, 'the secret key of a payment processor cannot be read');
    return null;
  }
}
