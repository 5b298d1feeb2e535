import { isCardAmount, toCents } from '@roomside/contract/money.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import type { Payment, RefundRule } from '@roomside/contract/payments/calls.ts';
import { sql } from 'kysely';
import type { PatientCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound } from '../../platform/refusal.ts';
import { type Charge, isOpen, readCharges } from '../charges/charge-rows.ts';
import { pageProcessorOf } from '../charges/page-processor.ts';
import { dueOf } from './amounts.ts';

export interface ReadPayment {
  readonly payment: Payment;
  readonly appointmentId: number;
  readonly charges: readonly Charge[];
}

/**
 * PAY-1: the payment of one of the patient's own appointments.
 *
 * @param lock whether nothing else may change its fee, ledger or charges until the transaction ends
 * @throws Refusal `not-found`
 */
export async function readPayment(
  tx: Tx,
  caller: PatientCaller,
  uid: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<ReadPayment> {
  const found = tx
    .selectFrom('appointments as a')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .innerJoin('companies as c', 'c.company_id', 'a.company_id')
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.starts_at',
      'a.cancelled',
      'a.fee',
      'a.collected',
      'd.first_name',
      'd.last_name',
      'c.company_name',
      'c.support_email',
      'c.payment_processor',
      'c.payment_user',
      'c.payment_password',
      'c.refund_rule',
      'c.notice_hours',
    ])
    .where('a.appointment_uid', '=', normalizeUid(uid))
    .where('a.patient_id', '=', caller.patientId)
    .where('a.archived_at', 'is', null);
  // Locked first: a join keeps the provider that it found before it waited, and then finds nothing.
  if (lock)
    await tx
      .selectFrom('appointments')
      .select('appointment_id')
      .where('appointment_uid', '=', normalizeUid(uid))
      .where('patient_id', '=', caller.patientId)
      .forNoKeyUpdate()
      .execute();
  const row = await found.executeTakeFirst();
  if (!row) throw notFound();
  const charges = await readCharges(tx, row.appointment_id);
  const { discount, entries } = await readLedger(tx, row.appointment_id);
  const due = dueOf({ ...row, discount });
  const open = charges.find(isOpen);
  const processor = pageProcessorOf(row);
  const cents = toCents(due.balance);
  const owed = cents === 0 ? 'settled' : processor && !isCardAmount(cents, caller.currency) ? 'small' : 'due';
  return {
    appointmentId: row.appointment_id,
    charges,
    payment: {
      appointmentUid: row.appointment_uid,
      startDate: row.starts_at,
      doctor: { firstName: row.first_name, lastName: row.last_name },
      companyName: row.company_name,
      supportEmail: row.support_email,
      timeZone: caller.timeZone,
      currency: caller.currency,
      cancelled: row.cancelled,
      state: open ? (open.state === 'action' ? 'action' : 'processing') : owed,
      ...due,
      processor,
      actionToken: open?.state === 'action' ? open.actionToken : null,
      hasReceipt: entries > 0,
      endedCharges: charges.filter((charge) => !isOpen(charge)).length,
      cancellation: { refund: row.refund_rule as RefundRule, noticeHours: row.notice_hours },
    },
  };
}

/** The sum of the discounts in a ledger, and how many entries it has. */
async function readLedger(tx: Tx, appointmentId: number): Promise<{ discount: string; entries: number }> {
  const row = await tx
    .selectFrom('ledger')
    .select(sql<string>`coalesce(sum(amount) filter (where kind = 'promo'), 0)::numeric(10,2)`.as('discount'))
    .select((eb) => eb.fn.countAll<string>().as('entries'))
    .where('appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  return { discount: row.discount, entries: Number(row.entries) };
}
