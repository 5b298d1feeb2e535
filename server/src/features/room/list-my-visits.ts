import { statusOf } from '@roomside/contract/appointments/status.ts';
import { isChargeable } from '@roomside/contract/money.ts';
import { nextVisit } from '@roomside/contract/my-visits/next-visit.ts';
import { listMyVisits as call } from '@roomside/contract/room/calls.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { appointmentRows, factsOf } from '../appointments/appointment-rows.ts';

/** Visits that ended longer ago than this are not looked at, minutes. */
const lookBackMinutes = 24 * 60;

/** ROOM-10, ROUTE-2: the patient's next visit; without any, the one that the code belongs to, which says why. */
export const listMyVisits = forPatient(call, async ({ caller, tx, now, touched }) => {
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', 'payment_processor'])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const near = await appointmentRows(tx)
    .select('v.closed')
    .where('a.patient_id', '=', caller.patientId)
    .where((where) =>
      where.or([
        where.eb('a.appointment_id', '=', caller.appointmentId),
        where.eb('a.ends_at', '>', addMinutes(now, -lookBackMinutes)),
      ]),
    )
    .orderBy('a.starts_at')
    .limit(50)
    .execute();
  const candidates = near.map((row) => ({
    row,
    ...{ startDate: row.starts_at, endDate: row.ends_at, closed: row.closed ?? false },
    status: statusOf(factsOf(row), now),
  }));
  const next = nextVisit(candidates, now)?.row ?? near.find((row) => row.appointment_id === caller.appointmentId);
  const rows = next ? [next] : [];
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
