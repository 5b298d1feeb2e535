import { statusOf } from '@roomside/contract/appointments/status.ts';
import { durationBounds } from '@roomside/contract/limits.ts';
import { listSchedule as call } from '@roomside/contract/schedule/calls.ts';
import { addMinutes, dayBounds } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { openTimes, readProviderTimes } from './availability.ts';

/** Returns the rows of the calendars with only the fields they show, the providers' bookable times and time off. */
export const listSchedule = forStaff(call, async ({ caller, query, tx, now, touched }) => {
  const { companyId, timeZone } = caller;
  const since = dayBounds(query.from, timeZone).from;
  const until = dayBounds(query.to, timeZone).to;
  const wanted = (query.physicians ?? '')
    .split(',')
    .map(Number)
    .filter((doctor) => doctor > 0);
  const doctors = wanted.length > 0 ? wanted : null;
  const rows = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select([
      'a.appointment_id',
      'a.version',
      'a.patient_id',
      'a.doctor_id',
      'a.starts_at',
      'a.ends_at',
      'a.overbooked',
      'a.immediate',
      'a.completed_elsewhere',
      'p.first_name',
      'p.last_name',
      'v.patient_present_at',
      'v.provider_present_at',
      'v.first_arrived_at',
      'v.provider_came',
      'v.ended_at',
      'v.duration',
      'v.waited',
    ])
    .where('a.company_id', '=', companyId)
    .where('a.archived_at', 'is', null)
    .where('a.cancelled', '=', false)
    // An appointment from the day before may last into the first day; the maximum length bounds the index scan.
    .where('a.starts_at', '>', addMinutes(since, -durationBounds.max))
    .where('a.ends_at', '>', since)
    .where('a.starts_at', '<', until)
    .$if(doctors !== null, (q) => q.where(sql<boolean>`a.doctor_id = any(${doctors})`))
    .orderBy('a.starts_at')
    .orderBy('a.appointment_id')
    .execute();
  touched(
    'appointments',
    rows.map((row) => row.appointment_id),
  );
  const times = await readProviderTimes(tx, companyId, doctors, query);
  const timeOff = await tx
    .selectFrom('time_off')
    .select(['time_off_id', 'user_id', 'first_day', 'last_day', 'reason'])
    .where('company_id', '=', companyId)
    .where('archived_at', 'is', null)
    .where('last_day', '>=', query.from)
    .where('first_day', '<=', query.to)
    .orderBy('first_day')
    .orderBy('time_off_id')
    .execute();
  const busy = await tx
    .selectFrom('busy_times')
    .select(['user_id', 'starts_at', 'ends_at'])
    .where('company_id', '=', companyId)
    .where(sql<boolean>`user_id = any(${times.providers.map(({ userId }) => userId)})`)
    .where('starts_at', '<', until)
    .where('ends_at', '>', since)
    .orderBy('starts_at')
    .orderBy('user_id')
    .execute();
  return {
    data: rows.map((row) => ({
      appointmentId: row.appointment_id,
      version: row.version,
      patientId: row.patient_id,
      doctorId: row.doctor_id,
      startDate: row.starts_at,
      endDate: row.ends_at,
      patient: `${row.last_name}, ${row.first_name}`,
      status: statusOf(
        {
          startDate: row.starts_at,
          cancelled: false,
          cancelledAt: null,
          patientPresent: row.patient_present_at,
          providerPresent: row.provider_present_at,
          firstArrivedAt: row.first_arrived_at,
          duration: row.duration ?? 0,
          endedAt: row.ended_at,
          providerCame: row.provider_came ?? false,
          waitedSeconds: row.waited ?? 0,
          completedElsewhere: row.completed_elsewhere,
        },
        now,
      ),
      overlaps: row.overbooked || row.immediate,
    })),
    open: openTimes(times, query),
    timeOff: timeOff.map((row) => ({
      timeOffId: row.time_off_id,
      userId: row.user_id,
      firstDay: row.first_day,
      lastDay: row.last_day,
      reason: row.reason,
    })),
    busy: busy.map((row) => ({ doctorId: row.user_id, startDate: row.starts_at, endDate: row.ends_at })),
  };
});
