import { fromCents, toCents } from '@roomside/contract/money.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { getReceipt as call, type Receipt } from '@roomside/contract/payments/calls.ts';
import { forRoom } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

/** The receipt of an appointment: every entry of its ledger. */
export const getReceipt = forRoom(call, async ({ caller, params, tx, touched }) => {
  const row = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .innerJoin('companies as c', 'c.company_id', 'a.company_id')
    .select(['a.appointment_id', 'a.starts_at', 'a.fee', 'a.collected', 'c.company_name', 'c.support_email'])
    .select(['p.first_name as patient_first', 'p.last_name as patient_last'])
    .select(['d.first_name as doctor_first', 'd.last_name as doctor_last'])
    .where('a.appointment_uid', '=', normalizeUid(params.uid))
    .$if(caller.kind === 'patient', (query) =>
      query.where('a.patient_id', '=', caller.kind === 'patient' ? caller.patientId : 0),
    )
    .executeTakeFirst();
  if (!row) throw notFound();
  touched('appointmentId', row.appointment_id);
  const entries = await tx
    .selectFrom('ledger as l')
    .leftJoin('charges as c', 'c.charge_id', 'l.charge_id')
    .select(['l.kind', 'l.amount', 'l.occurred_at', 'c.card_brand', 'c.card_last4'])
    .where('l.appointment_id', '=', row.appointment_id)
    .orderBy('l.ledger_id')
    .execute();
  return {
    number: String(row.appointment_id),
    companyName: row.company_name,
    supportEmail: row.support_email,
    timeZone: caller.timeZone,
    currency: caller.currency,
    patient: { firstName: row.patient_first, lastName: row.patient_last },
    doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
    startDate: row.starts_at,
    fee: row.fee,
    lines: entries.map((entry) => ({
      kind: entry.kind as Receipt['lines'][number]['kind'],
      date: entry.occurred_at,
      amount: entry.amount,
      cardBrand: entry.kind === 'promo' ? '' : (entry.card_brand ?? ''),
      cardLast4: entry.kind === 'promo' ? '' : (entry.card_last4 ?? ''),
    })),
    paid: row.collected,
    balance: fromCents(Math.max(0, toCents(row.fee) - toCents(row.collected))),
  };
});
