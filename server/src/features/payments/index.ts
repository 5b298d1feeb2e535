import { getReceipt } from './get-receipt.ts';
import { listPaymentProcessors } from './list-processors.ts';
import { checkPromo, getPayment, patientPay, settlePayment } from './patient-pay.ts';
import { refundAppointment } from './refund.ts';

export const paymentCalls = [
  getPayment,
  checkPromo,
  patientPay,
  settlePayment,
  getReceipt,
  refundAppointment,
  listPaymentProcessors,
];
