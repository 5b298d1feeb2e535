import type { appointmentColumns } from '@roomside/contract/appointments/calls.ts';
import { dayBounds } from '@roomside/contract/time.ts';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  byName,
  countRows,
  type ListQuery,
  likePattern,
  limitToPage,
  type Page,
  type SortKeys,
  sorted,
  splitOrder,
} from '../../platform/lists.ts';
import { appointmentRows } from './appointment-rows.ts';

type Column = (typeof appointmentColumns)[number];

export interface AppointmentFilter {
  startDate?: string | undefined;
  physicians?: string | undefined;
  patientId?: number | undefined;
  filter?: string | undefined;
  orderBy?: string | undefined;
}

const id = sql.ref('a.appointment_id');
const start = sql.ref('a.starts_at');

/** The sort keys of each column and the types of their values in a page key. */
const sorts: Record<Column, { keys: SortKeys; casts: readonly string[] }> = {
  startDate: { keys: [start, id], casts: ['timestamptz', 'bigint'] },
  patient: {
    keys: [byName('p.last_name'), byName('p.first_name'), start, id],
    casts: ['text', 'text', 'timestamptz', 'bigint'],
  },
  doctor: {
    keys: [byName('d.last_name'), byName('d.first_name'), start, id],
    casts: ['text', 'text', 'timestamptz', 'bigint'],
  },
  duration: { keys: [sql`coalesce(v.duration, 0)`, start, id], casts: ['int', 'timestamptz', 'bigint'] },
  collected: {
    keys: [sql.ref('a.collected'), start, id],
    casts: ['numeric', 'timestamptz', 'bigint'],
  },
};

/** Returns the sort order; default: latest first for a patient's appointments, earliest first for a day's. */
export function sortOf(query: AppointmentFilter) {
  const { column, direction } = splitOrder<Column>(query.orderBy, query.patientId ? 'startDate desc' : 'startDate asc');
  return { column, direction, ...sorts[column] };
}

/** The conditions of the list and of its download (LIST-4, LIST-6). */
export function matching(caller: StaffCaller, query: AppointmentFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [sql<SqlBool>`a.company_id = ${caller.companyId}`];
  if (query.startDate !== undefined) {
    const { from, to } = dayBounds(query.startDate, caller.timeZone);
    conditions.push(sql<SqlBool>`a.starts_at >= ${from} and a.starts_at < ${to}`);
  }
  const doctors = (query.physicians ?? '')
    .split(',')
    .map(Number)
    .filter((doctor) => doctor > 0);
  if (doctors.length > 0) conditions.push(sql<SqlBool>`a.doctor_id = any(${doctors})`);
  if (query.patientId !== undefined) conditions.push(sql<SqlBool>`a.patient_id = ${query.patientId}`);
  const words = (query.filter ?? '').trim().replace(/\s+/g, ' ');
  if (words !== '') {
    const pattern = likePattern(words);
    conditions.push(
      sql<SqlBool>`(p.search like ${pattern} or fold(d.first_name || ' ' || d.last_name) like ${pattern})`,
    );
  }
  return conditions;
}

/** Selects all matching appointments. */
export function findAppointments(tx: Tx, caller: StaffCaller, query: AppointmentFilter) {
  return (
    appointmentRows(tx)
      .where((eb) => eb.and(matching(caller, query)))
      // So that the order by name comes from their indexes.
      .where('p.company_id', '=', caller.companyId)
      .where('d.company_id', '=', caller.companyId)
  );
}

/**
 * Selects the rows of a page, in the query's order. The page is selected before the joins: under row-level security the
 * planner expects a single row from them, and would join all appointments of a large company to show 50 (tested by EXPLAIN).
 */
export function findPage(tx: Tx, caller: StaffCaller, query: AppointmentFilter & ListQuery, page: Page) {
  const { column } = sortOf(query);
  const chosen = limitToPage(chooseAppointments(tx, caller, query, column).selectAll('a'), query, page);
  return sorted(appointmentRows(tx, chosen), page.order);
}

export const countAppointments = (tx: Tx, caller: StaffCaller, query: AppointmentFilter): Promise<number> =>
  countRows(chooseAppointments(tx, caller, query));

/** The matching appointments, joined only with what the search and the sort order read. */
function chooseAppointments(tx: Tx, caller: StaffCaller, query: AppointmentFilter, column?: Column) {
  const isSearch = Boolean(query.filter?.trim());
  return tx
    .selectFrom('appointments as a')
    .where('a.archived_at', 'is', null)
    .where((eb) => eb.and(matching(caller, query)))
    .$if(isSearch || column === 'patient', (q) =>
      q
        .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
        // So that the order by name comes from its index.
        .where('p.company_id', '=', caller.companyId),
    )
    .$if(isSearch || column === 'doctor', (q) =>
      q.innerJoin('users as d', 'd.user_id', 'a.doctor_id').where('d.company_id', '=', caller.companyId),
    )
    .$if(column === 'duration', (q) => q.leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id'));
}
