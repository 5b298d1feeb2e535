import { newUid } from '../src/platform/access-code.ts';
import type { Tx } from '../src/platform/database/database.ts';

export interface ChargeValues {
  companyId: number;
  appointmentId: number;
  patientId: number;
  refundReason?: string;
  /** ISO. */
  now: string;
}

/** A charge of an appointment that has failed. */
export async function buildCharge(tx: Tx, values: ChargeValues): Promise<void> {
  await tx
    .insertInto('charges')
    .values({
      charge_key: newUid(),
      company_id: values.companyId,
      purpose: 'appointment',
      appointment_id: values.appointmentId,
      patient_id: values.patientId,
      attempt: 1,
      processor: 'sandbox',
      account: '',
      amount: '5',
      currency: 'USD',
      method: '',
      state: 'failed',
      refund_reason: values.refundReason ?? '',
      created_at: values.now,
    })
    .execute();
}
