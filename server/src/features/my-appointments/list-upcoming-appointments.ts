import { listUpcomingAppointments as call } from '@roomside/contract/my-appointments/calls.ts';
import { sql } from 'kysely';
import { forPatient } from '../../platform/http/handler.ts';
import { appointmentRows } from '../appointments/appointment-rows.ts';
import { bookableDays } from '../booking/open-booking.ts';
import { changeUntil } from './own-appointment.ts';

/** Returns the patient's upcoming appointments at this clinic. */
export const listUpcomingAppointments = forPatient(call, async ({ caller, tx, now, touched }) => {
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', 'company_uid', 'generic_schedule', 'notice_hours', 'support_email'])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const rows = await appointmentRows(tx)
    .select(['a.version', 'v.closed'])
    .select(sql<boolean>`exists (select from ledger l where l.appointment_id = a.appointment_id)`.as('has_receipt'))
    .where('a.patient_id', '=', caller.patientId)
    .where('a.cancelled', '=', false)
    .where('a.ends_at', '>', now)
    .orderBy('a.starts_at')
    .orderBy('a.appointment_id')
    .limit(50)
    .execute();
  const upcoming = rows.filter((row) => !row.closed);
  touched(
    'appointments',
    upcoming.map((row) => row.appointment_id),
  );
  const days = bookableDays(now, caller.timeZone);
  return {
    data: upcoming.map((row) => ({
      appointmentUid: row.appointment_uid,
      version: row.version,
      startDate: row.starts_at,
      endDate: row.ends_at,
      doctor: { userId: row.doctor_id, firstName: row.doctor_first, lastName: row.doctor_last },
      changeUntil: changeUntil(row.starts_at, company.notice_hours),
      hasReceipt: row.has_receipt,
    })),
    companyName: company.company_name,
    companyUid: company.generic_schedule ? company.company_uid : null,
    timeZone: caller.timeZone,
    noticeHours: company.notice_hours,
    supportEmail: company.support_email,
    firstDay: days.from,
    lastDay: days.to,
    now,
  };
});
