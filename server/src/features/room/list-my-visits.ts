import { isChargeable } from '@roomside/contract/money.ts';
import { listMyVisits as call } from '@roomside/contract/room/calls.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { appointmentRows } from '../appointments/appointment-rows.ts';

/** ROOM-10, ROUTE-2: the visit that the patient's code belongs to. */
export const listMyVisits = forPatient(call, async ({ caller, tx, now, touched }) => {
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', 'payment_processor'])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const rows = await appointmentRows(tx)
    .select('v.closed')
    .where('a.appointment_id', '=', caller.appointmentId)
    .execute();
  touched(
    'appointments',
    rows.map((row) => row.appointment_id),
  );
  const data = rows.map((row) => ({
    appointmentUid: row.appointment_uid,
    startDate: row.starts_at,
    endDate: row.ends_at,
    doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
    cancelled: row.cancelled,
    ended: row.closed ?? false,
    chargeable: isChargeable({
      fee: row.fee,
      collected: row.collected,
      cancelled: row.cancelled,
      hasProcessor: company.payment_processor !== null,
    }),
    companyName: company.company_name,
    timeZone: caller.timeZone,
  }));
  return { data, now };
});
