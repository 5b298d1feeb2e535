import { missedAfterMinutes } from '@roomside/contract/limits.ts';
import { listPatients as call, type patientColumns } from '@roomside/contract/patients/calls.ts';
import { type SqlBool, sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import {
  byName,
  countRows,
  finishPage,
  likePattern,
  pageOf,
  readPage,
  type SortKeys,
  splitOrder,
} from '../../platform/lists.ts';

type Column = (typeof patientColumns)[number];
const id = sql.ref('p.patient_id');

/** Stand for "none" in sort keys, which must not be null. */
const noInstant = { past: '0001-01-01T00:00:00.000Z', future: '9999-01-01T00:00:00.000Z' };

/*
 * PATIENTS-1: last = the latest past appointment neither cancelled nor missed; next = the earliest future one not cancelled.
 * Both read `appointments a`: of one patient for a row of the page, of all patients to sort by them, which is one pass over
 * an index instead of a search for each patient.
 */
const lastOf = (now: string) => sql`appointments a left join visits v on v.appointment_id = a.appointment_id
  where a.archived_at is null and not a.cancelled and a.starts_at <= ${now}
    and (v.duration >= 60 or v.ended_at is not null or v.patient_present_at is not null
      or a.starts_at > ${new Date(Date.parse(now) - missedAfterMinutes * 60_000).toISOString()})`;
const nextOf = (now: string) => sql`appointments a
  where a.archived_at is null and not a.cancelled and a.starts_at > ${now}`;
const ofRow = sql`a.company_id = p.company_id and a.patient_id = p.patient_id`;

const lastAppointmentAt = (now: string) =>
  sql<string | null>`(select max(a.starts_at) from ${lastOf(now)} and ${ofRow})`;
const nextAppointmentAt = (now: string) =>
  sql<string | null>`(select min(a.starts_at) from ${nextOf(now)} and ${ofRow})`;

/** The last or next appointment of all patients of a company, to sort by. */
const sortedBy = (column: Column, companyId: number, now: string) => {
  const [value, rows] = column === 'lastAppointment' ? [sql`max`, lastOf(now)] : [sql`min`, nextOf(now)];
  return sql<{ patient_id: number; at: string }>`(select a.patient_id, ${value}(a.starts_at) as at from ${rows}
    and a.company_id = ${companyId} group by a.patient_id)`.as<'s'>('s');
};

function sortKeys(column: Column): { keys: SortKeys; casts: readonly string[] } {
  const last = byName('p.last_name');
  const first = byName('p.first_name');
  switch (column) {
    case 'lastName':
      return { keys: [last, first, id], casts: ['text', 'text', 'bigint'] };
    case 'firstName':
      return { keys: [first, last, id], casts: ['text', 'text', 'bigint'] };
    case 'doB':
      return { keys: [sql`coalesce(p.birth_date, '0001-01-01')`, id], casts: ['date', 'bigint'] };
    case 'created':
      return { keys: [sql.ref('p.created_at'), id], casts: ['timestamptz', 'bigint'] };
    case 'lastAppointment':
      return {
        keys: [sql`coalesce(s.at, ${noInstant.past})`, id],
        casts: ['timestamptz', 'bigint'],
      };
    case 'nextAppointment':
      return {
        keys: [sql`coalesce(s.at, ${noInstant.future})`, id],
        casts: ['timestamptz', 'bigint'],
      };
  }
}

/** CALL-18. */
export const listPatients = forStaff(call, async ({ caller, query, tx, now, touched }) => {
  const { column, direction } = splitOrder<Column>(query.orderBy, 'lastName asc');
  const { keys, casts } = sortKeys(column);
  const page = pageOf(query, keys, direction, casts);
  const words = (query.filter ?? '').trim().replace(/\s+/g, ' ');
  const matching = tx
    .selectFrom('patients as p')
    .where('p.archived_at', 'is', null)
    .where('p.company_id', '=', caller.companyId)
    .$if(words !== '', (q) =>
      q.where(sql<SqlBool>`p.patient_id in (select find_patients(${likePattern(words)}, 10000))`),
    )
    .select([
      'p.patient_id',
      'p.first_name',
      'p.last_name',
      'p.birth_date',
      'p.created_at',
      lastAppointmentAt(now).as('last_visit'),
      nextAppointmentAt(now).as('next_visit'),
    ]);
  const isJoined = column === 'lastAppointment' || column === 'nextAppointment';
  const sorted = matching.$if(isJoined, (q) =>
    q.leftJoin(sortedBy(column, caller.companyId, now), 's.patient_id', 'p.patient_id'),
  );
  const { found, total } = await readPage(sorted, query, page, () => countRows(matching));
  touched(
    'patients',
    found.map((row) => row.patient_id),
  );
  const { data, ...ends } = finishPage(found, page, (row) => {
    switch (column) {
      case 'lastName':
        return [row.last_name, row.first_name, row.patient_id];
      case 'firstName':
        return [row.first_name, row.last_name, row.patient_id];
      case 'doB':
        return [row.birth_date ?? '0001-01-01', row.patient_id];
      case 'created':
        return [row.created_at, row.patient_id];
      case 'lastAppointment':
        return [row.last_visit ?? noInstant.past, row.patient_id];
      case 'nextAppointment':
        return [row.next_visit ?? noInstant.future, row.patient_id];
    }
  });
  return {
    data: data.map((row) => ({
      patientId: row.patient_id,
      firstName: row.first_name,
      lastName: row.last_name,
      doB: row.birth_date,
      created: row.created_at,
      lastAppointment: row.last_visit,
      nextAppointment: row.next_visit,
    })),
    total,
    ...ends,
  };
});
