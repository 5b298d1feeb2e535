import { listOpenBalances as call } from '@roomside/contract/ledger/calls.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { finishPage, pageOf, readPage, splitOrder } from '../../platform/lists.ts';
import { openAmount, openAppointments } from './find-entries.ts';

const id = sql.ref('a.appointment_id');
const sorts = {
  startDate: { keys: [sql.ref('a.starts_at'), id], casts: ['timestamptz', 'bigint'] },
  balance: { keys: [openAmount, id], casts: ['numeric', 'bigint'] },
};

export const listOpenBalances = forStaff(call, async ({ caller, query, tx, touched }) => {
  const { column, direction } = splitOrder<'startDate' | 'balance'>(query.orderBy, 'startDate desc');
  const { keys, casts } = sorts[column];
  const page = pageOf(query, keys, direction, casts);
  const matching = openAppointments(tx, caller, query)
    .select(['a.appointment_id', 'a.patient_id', 'a.starts_at', 'a.fee', 'a.collected', openAmount.as('balance')])
    .select(['p.first_name as patient_first', 'p.last_name as patient_last'])
    .select(['d.first_name as doctor_first', 'd.last_name as doctor_last']);
  const { found, total } = await readPage(matching, query, page);
  touched(
    'appointments',
    found.map((row) => row.appointment_id),
  );
  const { data, ...ends } = finishPage(found, page, (row) => [
    column === 'startDate' ? row.starts_at : row.balance,
    row.appointment_id,
  ]);
  return {
    data: data.map((row) => ({
      appointmentId: row.appointment_id,
      patientId: row.patient_id,
      patient: { firstName: row.patient_first, lastName: row.patient_last },
      doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
      startDate: row.starts_at,
      fee: row.fee,
      collected: row.collected,
      balance: row.balance,
    })),
    total,
    ...ends,
  };
});
