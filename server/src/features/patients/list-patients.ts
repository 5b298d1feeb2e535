import { completedAfterSeconds, missedAfterMinutes } from '@roomside/contract/limits.ts';
import { listPatients as call, type patientColumns } from '@roomside/contract/patients/calls.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import {
  byName,
  countRows,
  finishPage,
  likePattern,
  limitToPage,
  pageOf,
  type SortKeys,
  splitOrder,
  totalOf,
} from '../../platform/lists.ts';

type Column = (typeof patientColumns)[number];
const id = sql.ref('p.patient_id');

/** Stand for "none" in sort keys, which must not be null. */
const noInstant = { past: '0001-01-01T00:00:00.000Z', future: '9999-01-01T00:00:00.000Z' };

/*
 * PATIENTS-1: last = the latest past appointment neither cancelled nor missed; next = the earliest future one not cancelled.
 * Each reads `appointments` under an alias, to which more conditions are added: those of a patient for a row of the page, those
 * of a company to sort by them.
 */
const lastOf = (now: string, alias: 'a' | 'b' = 'a') => {
  const [a, v] = [sql.raw(alias), sql.raw(`${alias}v`)];
  return sql`appointments ${a} left join visits ${v} on ${v}.appointment_id = ${a}.appointment_id
    where ${a}.archived_at is null and not ${a}.cancelled and ${a}.starts_at <= ${now}
      and (${a}.completed_elsewhere or ${v}.duration >= ${completedAfterSeconds} or ${v}.ended_at is not null or ${v}.patient_present_at is not null
        or ${a}.starts_at > ${new Date(Date.parse(now) - missedAfterMinutes * 60_000).toISOString()})`;
};
const nextOf = (now: string, alias: 'a' | 'b' = 'a') => {
  const a = sql.raw(alias);
  return sql`appointments ${a} where ${a}.archived_at is null and not ${a}.cancelled and ${a}.starts_at > ${now}`;
};
const ofRow = sql`a.company_id = p.company_id and a.patient_id = p.patient_id`;

const lastAppointmentAt = (now: string) =>
  sql<string | null>`(select max(a.starts_at) from ${lastOf(now)} and ${ofRow})`;
const nextAppointmentAt = (now: string) =>
  sql<string | null>`(select min(a.starts_at) from ${nextOf(now)} and ${ofRow})`;

/** How to sort by the last or next appointment. */
interface AppointmentOrder {
  /** The direction in which the patients that have one come first. */
  readonly direction: 'asc' | 'desc';
  /** Of all patients that have one: one pass over the company's appointments. */
  readonly all: RawBuilder<PatientTime>;
  /**
   * The same rows, for the patients that come first: the walk along the index of the appointments' times stops when the page is
   * full. An appointment counts when its patient has none beyond it.
   */
  readonly first: RawBuilder<PatientTime>;
}
type PatientTime = { patient_id: number; at: string };

function appointmentOrder(column: Column, companyId: number, now: string): AppointmentOrder | null {
  if (column !== 'lastAppointment' && column !== 'nextAppointment') return null;
  const isLast = column === 'lastAppointment';
  const rowsOf = isLast ? lastOf : nextOf;
  const [extreme, beyond] = isLast ? [sql`max`, sql`>`] : [sql`min`, sql`<`];
  return {
    direction: isLast ? 'desc' : 'asc',
    all: sql`(select a.patient_id, ${extreme}(a.starts_at) as at from ${rowsOf(now)}
      and a.company_id = ${companyId} group by a.patient_id)`,
    first: sql`(select a.patient_id, a.starts_at as at from ${rowsOf(now)} and a.company_id = ${companyId}
      and not exists (select from ${rowsOf(now, 'b')} and b.company_id = ${companyId} and b.patient_id = a.patient_id
        and (b.starts_at, b.appointment_id) ${beyond} (a.starts_at, a.appointment_id)))`,
  };
}

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
  const order = appointmentOrder(column, caller.companyId, now);
  const joined = matching.$if(order !== null, (q) =>
    q.leftJoin((order as AppointmentOrder).all.as<'s'>('s'), 's.patient_id', 'p.patient_id'),
  );
  const isFirst = order !== null && order.direction === page.order.direction && words === '';
  const first = isFirst
    ? await limitToPage(
        matching.innerJoin(order.first.as<'s'>('s'), 's.patient_id', 'p.patient_id'),
        query,
        pageOf(query, [sql.ref('s.at'), id], direction, casts),
      ).execute()
    : [];
  const found = first.length === query.top ? first : await limitToPage(joined, query, page).execute();
  const total = await totalOf(query, () => countRows(matching));
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
