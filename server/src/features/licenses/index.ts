import { deletePaymentCard, getPaymentCards, updatePaymentCard } from './cards.ts';
import { getLicense, saveRenewal } from './get-license.ts';
import { getInvoice, listInvoices } from './invoices.ts';
import { accountPay, calculateLicense, settleLicense } from './pay-license.ts';

export const licenseCalls = [
  getLicense,
  calculateLicense,
  accountPay,
  settleLicense,
  getPaymentCards,
  updatePaymentCard,
  deletePaymentCard,
  saveRenewal,
  listInvoices,
  getInvoice,
];
