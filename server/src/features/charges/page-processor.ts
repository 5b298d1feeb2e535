import type { ProcessorName, ProcessorOfPage } from '@roomside/contract/payments/processors.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Charge } from './charge-rows.ts';

/** The columns of a company by which its patients can pay. */
export const paymentColumns = ['payment_processor', 'payment_user', 'payment_password'] as const;

/** What a page needs to enter a card for a license, which is paid to the installation's account; null while that takes no cards. */
export function licenseProcessorOf(settings: LicenseSettings): ProcessorOfPage | null {
  const processor = settings.LICENSE_PROCESSOR;
  return processor && { processor, publicKey: settings.LICENSE_USER ?? '' };
}

type LicenseSettings = Pick<Settings, 'LICENSE_PROCESSOR' | 'LICENSE_USER'>;

/** Of a company. */
export interface PaymentColumns {
  readonly payment_processor: string | null;
  readonly payment_user: string;
  readonly payment_password: Buffer;
}

/** What a page needs to enter a card; null while the company takes no payments by card. The sandbox needs no keys. */
export function pageProcessorOf(company: PaymentColumns): ProcessorOfPage | null {
  const processor = company.payment_processor as ProcessorName | null;
  if (processor === null) return null;
  const hasKeys = company.payment_user !== '' && company.payment_password.length > 0;
  return processor === 'sandbox' || hasKeys ? { processor, publicKey: company.payment_user } : null;
}

/** Whether a charge was asked of this account: no other one knows it. Null: there is none now. */
export const isAccountOf = (page: ProcessorOfPage | null, charge: Pick<Charge, 'processor' | 'account'>): boolean =>
  page !== null && page.processor === charge.processor && page.publicKey === charge.account;

/** Whether patients of a company can pay by card (ROOM-7). */
export const takesPayments = (company: PaymentColumns): boolean => pageProcessorOf(company) !== null;
