import {
  downloadLedger as downloadCall,
  type LedgerKind,
  listLedger as listCall,
  maxLedgerDownload,
} from '@roomside/contract/ledger/calls.ts';
import { toCents } from '@roomside/contract/money.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import { exactCsvLine } from '../../platform/csv.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { finishPage, pageOf, readPage, splitOrder } from '../../platform/lists.ts';
import { type LedgerFilter, matchingEntries } from './find-entries.ts';

const entries = (tx: Tx, caller: StaffCaller, filter: LedgerFilter) =>
  matchingEntries(tx, caller, filter)
    .innerJoin('patients as p', 'p.patient_id', 'l.patient_id')
    .leftJoin('users as u', 'u.user_id', 'l.by_user_id')
    .select(['l.ledger_id', 'l.occurred_at', 'l.kind', 'l.amount', 'l.appointment_id', 'l.patient_id'])
    .select(['p.first_name as patient_first', 'p.last_name as patient_last'])
    .select(['d.first_name as doctor_first', 'd.last_name as doctor_last'])
    .select(['u.first_name as user_first', 'u.last_name as user_last'])
    // A promo code has no processor, although it belongs to a charge.
    .select(({ ref }) => [
      sql<string>`case when l.kind = 'promo' then '' else coalesce(${ref('c.processor')}, '') end`.as('processor'),
      sql<string>`case when l.kind = 'promo' then '' else coalesce(${ref('c.card_brand')}, '') end`.as('card_brand'),
      sql<string>`case when l.kind = 'promo' then '' else coalesce(${ref('c.card_last4')}, '') end`.as('card_last4'),
      'c.state',
    ]);

const id = sql.ref('l.ledger_id');
const sorts = {
  at: { keys: [sql.ref('l.occurred_at'), id], casts: ['timestamptz', 'bigint'] },
  amount: { keys: [sql.ref('l.amount'), id], casts: ['numeric', 'bigint'] },
};

export const listLedger = forStaff(listCall, async ({ caller, query, tx, touched }) => {
  const { column, direction } = splitOrder<'at' | 'amount'>(query.orderBy, 'at desc');
  const { keys, casts } = sorts[column];
  const page = pageOf(query, keys, direction, casts);
  const { found, total } = await readPage(entries(tx, caller, query), query, page);
  touched('appointments', [...new Set(found.map((row) => row.appointment_id))]);
  const { data, ...ends } = finishPage(found, page, (row) => [
    column === 'at' ? row.occurred_at : row.amount,
    row.ledger_id,
  ]);
  return {
    data: data.map((row) => ({
      ledgerId: row.ledger_id,
      at: row.occurred_at,
      kind: row.kind as LedgerKind,
      amount: row.amount,
      appointmentId: row.appointment_id,
      patientId: row.patient_id,
      patient: { firstName: row.patient_first, lastName: row.patient_last },
      doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
      processor: row.processor,
      cardBrand: row.card_brand,
      cardLast4: row.card_last4,
      disputed: row.kind === 'charge' && row.state === 'disputed',
      user: row.user_first === null ? null : { firstName: row.user_first, lastName: row.user_last ?? '' },
    })),
    total,
    ...ends,
  };
});

/** Words of a download, for spreadsheets. */
const kindWords: Record<LedgerKind, string> = {
  manual: 'Other payment',
  charge: 'Card',
  refund: 'Refund',
  promo: 'Promo code',
};
/** A refund that did not reach the card. */
const failedRefund = 'Failed refund';
const head = [
  'Date',
  'Time',
  'Time zone',
  'Patient',
  'Provider',
  'Kind',
  'Amount',
  'Currency',
  'Processor',
  'Card',
  'Entered by',
];

export const downloadLedger = forStaff(downloadCall, async ({ caller, query, tx, touched }) => {
  const rows = await entries(tx, caller, query)
    .orderBy('l.occurred_at', 'desc')
    .orderBy('l.ledger_id', 'desc')
    .limit(maxLedgerDownload)
    .execute();
  touched('appointments', [...new Set(rows.map((row) => row.appointment_id))]);
  const lines = rows.map((row) => {
    const at = instantToWall(row.occurred_at, caller.timeZone);
    return exactCsvLine([
      at.day,
      at.time,
      caller.timeZone,
      `${row.patient_last}, ${row.patient_first}`,
      `${row.doctor_first} ${row.doctor_last}`,
      row.kind === 'refund' && row.card_last4 !== '' && toCents(row.amount) > 0
        ? failedRefund
        : kindWords[row.kind as LedgerKind],
      row.amount,
      caller.currency,
      row.processor,
      row.card_last4 ? `${row.card_brand} ${row.card_last4}` : '',
      row.user_first === null ? '' : `${row.user_first} ${row.user_last}`,
    ]);
  });
  return { fileName: `payments_${query.from}_${query.to}.csv`, text: `\ufeff${exactCsvLine(head)}${lines.join('')}` };
});
