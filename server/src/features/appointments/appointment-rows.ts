import type { AppointmentRow } from '@roomside/contract/appointments/calls.ts';
import { type StatusFacts, statusOf, statusTooltip } from '@roomside/contract/appointments/status.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { type AliasableExpression, type Selectable, sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import type { DB } from '../../platform/database/schema.ts';

/** Formats an instant for tooltips, in a zone, as lists do: '11/21/2026, 2:30 PM'. */
const formats = new Map<string, Intl.DateTimeFormat>();
export function shortTime(instant: string, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      month: '2-digit',
      day: '2-digit',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
    });
    formats.set(zone, format);
  }
  return format.format(new Date(instant)).replace(/\u202f/g, ' ');
}

/** The sum of the ledger of appointment `a`, dollars with two decimals. */
export const collected = sql<string>`a.collected`.as('collected');

/** The columns of `visits` that describe an appointment's visit. */
export const visitColumns = [
  'v.patient_present_at',
  'v.provider_present_at',
  'v.first_arrived_at',
  'v.provider_came',
  'v.ended_at',
  sql<number>`coalesce(v.duration, 0)`.as('duration'),
  sql<number>`coalesce(v.waited, 0)`.as('waited'),
] as const;

/**
 * `offset 0` makes the planner read a joined row by its key. Under row-level security it would otherwise read all patients
 * and visits of a company that is larger than the average.
 */
const byKey = sql.lit(0);

/**
 * Selects appointments with all columns of a list row. `appointments` selects which ones, with all columns of the table;
 * a limit in it is applied before the joins. Row-level security limits the rows to the company.
 */
export function appointmentRows(
  tx: Tx,
  appointments: AliasableExpression<Selectable<DB['appointments']>> = tx.selectFrom('appointments').selectAll(),
) {
  return tx
    .selectFrom(appointments.as('a'))
    .innerJoinLateral(
      (from) =>
        from.selectFrom('patients').selectAll().whereRef('patient_id', '=', 'a.patient_id').offset(byKey).as('p'),
      (on) => on.onTrue(),
    )
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .leftJoinLateral(
      (from) =>
        from.selectFrom('visits').selectAll().whereRef('appointment_id', '=', 'a.appointment_id').offset(byKey).as('v'),
      (on) => on.onTrue(),
    )
    .where('a.archived_at', 'is', null)
    .select(visitColumns)
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.starts_at',
      'a.ends_at',
      'a.patient_id',
      'a.doctor_id',
      'a.cancelled',
      'a.completed_elsewhere',
      'a.cancelled_at',
      'a.fee',
      'p.first_name as patient_first',
      'p.last_name as patient_last',
      'd.first_name as doctor_first',
      'd.last_name as doctor_last',
      collected,
      undeliveredSince.as('undelivered_since'),
    ]);
}

/**
 * Since when the latest notification of the patient is undelivered; the year 2000 if it failed, null if there is none or
 * one of its methods was sent. The rows of one notification have the same creation time.
 */
const undeliveredSince = sql<string | null>`(
  select case when bool_and(n.state = 'failed') then timestamptz '2000-01-01 00:00Z'
    when bool_and(n.state in ('failed', 'queued')) then max(n.created_at) end
  from notification_logs n
  where n.appointment_id = a.appointment_id and n.patient_id is not null and n.created_at = (
    select max(m.created_at) from notification_logs m
    where m.appointment_id = a.appointment_id and m.patient_id is not null and m.state <> 'dropped'))`;

/** A queued notification counts as undelivered after this time, minutes. */
const undeliveredAfterMinutes = 15;

const isUndelivered = ({ undelivered_since: since, ends_at: end }: Row, now: string): boolean =>
  since !== null && end > now && addMinutes(since, undeliveredAfterMinutes) <= now;

export type Row = Awaited<ReturnType<ReturnType<typeof appointmentRows>['execute']>>[number];

/** The columns from which a status is computed. */
type FactRow = Pick<
  Row,
  | ('starts_at' | 'cancelled' | 'cancelled_at' | 'completed_elsewhere')
  | ('patient_present_at' | 'provider_present_at' | 'first_arrived_at' | 'provider_came')
  | ('ended_at' | 'duration' | 'waited')
>;

export function factsOf(row: FactRow): StatusFacts {
  return {
    startDate: row.starts_at,
    cancelled: row.cancelled,
    cancelledAt: row.cancelled_at,
    patientPresent: row.patient_present_at,
    providerPresent: row.provider_present_at,
    firstArrivedAt: row.first_arrived_at,
    duration: row.duration,
    endedAt: row.ended_at,
    providerCame: row.provider_came ?? false,
    waitedSeconds: row.waited,
    completedElsewhere: row.completed_elsewhere,
  };
}

/** Returns the row of the contract, with status and tooltip at `now` in the company's zone. */
export function toRow(row: Row, now: string, zone: string): AppointmentRow {
  const facts = factsOf(row);
  return {
    appointmentId: row.appointment_id,
    appointmentUid: row.appointment_uid,
    startDate: row.starts_at,
    endDate: row.ends_at,
    patientId: row.patient_id,
    patient: { firstName: row.patient_first, lastName: row.patient_last },
    doctorId: row.doctor_id,
    doctor: { userId: row.doctor_id, firstName: row.doctor_first, lastName: row.doctor_last },
    status: statusOf(facts, now),
    statusTooltip: statusTooltip(facts, now, (instant) => shortTime(instant, zone)),
    undelivered: isUndelivered(row, now),
    cancelled: row.cancelled,
    patientPresent: row.patient_present_at,
    providerPresent: row.provider_present_at,
    waitTime: row.waited,
    duration: row.duration,
    fee: row.fee,
    collected: row.collected,
  };
}
