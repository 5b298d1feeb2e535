import { statusOf } from '@roomside/contract/appointments/status.ts';
import { isChargeable } from '@roomside/contract/money.ts';
import { listMyAppointments as call } from '@roomside/contract/my-appointments/calls.ts';
import { nextAppointment } from '@roomside/contract/my-appointments/next-appointment.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { forPatient } from '../../platform/http/handler.ts';
import { appointmentRows, factsOf } from '../appointments/appointment-rows.ts';
import { paymentColumns, takesPayments } from '../charges/page-processor.ts';

/** Appointments that ended earlier than this are left out, minutes. */
const maxAgeMinutes = 24 * 60;

/** ROOM-10, ROUTE-2: the visit that the patient has just left, or the next appointment; without one, the appointment of the code they signed in with. */
export const listMyAppointments = forPatient(call, async ({ caller, tx, now, touched }) => {
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', ...paymentColumns])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const recent = await appointmentRows(tx)
    .select('v.closed')
    .select((where) =>
      where
        .selectFrom('peers as p')
        .select(sql<string | null>`max(coalesce(p.left_at, ${now}))`.as('left_at'))
        .whereRef('p.appointment_id', '=', 'a.appointment_id')
        .where('p.role_id', '=', 'P')
        .as('left_at'),
    )
    .where('a.patient_id', '=', caller.patientId)
    .where((where) =>
      where.or([
        where.eb('a.appointment_id', '=', caller.appointmentId),
        where.eb('a.ends_at', '>', addMinutes(now, -maxAgeMinutes)),
      ]),
    )
    .orderBy('a.starts_at')
    .limit(50)
    .execute();
  const candidates = recent.map((row) => ({
    row,
    startDate: row.starts_at,
    endDate: row.ends_at,
    closed: row.closed ?? false,
    leftAt: row.left_at,
    status: statusOf(factsOf(row), now),
  }));
  const next =
    nextAppointment(candidates, now)?.row ?? recent.find((row) => row.appointment_id === caller.appointmentId);
  const rows = next ? [next] : [];
  touched(
    'appointments',
    rows.map((row) => row.appointment_id),
  );
  const data = rows.map((row) => ({
    appointmentId: row.appointment_id,
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
      hasProcessor: takesPayments(company),
      currency: caller.currency,
    }),
    companyName: company.company_name,
    timeZone: caller.timeZone,
  }));
  return { data, now };
});
