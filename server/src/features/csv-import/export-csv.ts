import { Readable } from 'node:stream';
import { type Status, statusOf } from '@roomside/contract/appointments/status.ts';
import { exportCsv as call, type ExportType } from '@roomside/contract/csv-import/calls.ts';
import { optionalText } from '@roomside/contract/csv-import/read-values.ts';
import { instantToWall, wallToInstant } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import { exactCsvLine } from '../../platform/csv.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaffInSteps } from '../../platform/http/handler.ts';
import { fromE164 } from '../../platform/phone.ts';
import { factsOf, visitColumns } from '../appointments/appointment-rows.ts';

/** Rows of one transaction, and of one audit row with their ids. */
const batchRows = 1_000;

interface Page {
  readonly ids: readonly number[];
  readonly lines: readonly string[];
}

interface Source {
  readonly fileName: string;
  readonly header: readonly string[];
  /** The key of the ids in audit rows. */
  readonly audited: 'patients' | 'appointments';
  /** The rows behind an id, in the order of their ids. `now`: ISO instant. */
  read(tx: Tx, caller: StaffCaller, after: number, now: string): Promise<Page>;
}

const sources: Readonly<Record<ExportType, Source>> = {
  Patient: {
    fileName: 'patients.csv',
    header: ['External ID', 'First Name', 'Last Name', 'Birth Date', 'Phone', 'Email'],
    audited: 'patients',
    read: readPatients,
  },
  Appointment: {
    fileName: 'appointments.csv',
    header: [
      ...['Appointment ID', 'Patient External ID', 'Patient First Name', 'Patient Last Name', 'Patient Birth Date'],
      ...['Provider', 'Start', 'Minutes', 'Status'],
    ],
    audited: 'appointments',
    read: readAppointments,
  },
};

/**
 * Streams all rows in short transactions, whatever their number. Each of these has the rights that the sign-in has then, and an audit row with the
 * ids that left, as far as the download got.
 */
export const exportCsv = forStaffInSteps(call, async (input) => {
  const { context, query, request, address, look, commit, touched } = input;
  const { fileName, header, audited, read } = sources[query.type];
  touched('export', query.type);
  const readPage = async (tx: Tx, caller: StaffCaller, after: number): Promise<Page> => {
    const now = isoNow(context.clock);
    const page = await read(tx, caller, after, now);
    const about = { caller, at: now, action: 'exportCsvRows', path: call.path };
    const objects = { [audited]: page.ids };
    if (page.ids.length > 0) audit(tx, { ...about, objects, address, requestId: request.id });
    return page;
  };
  // Before the response begins, so that a refusal is one.
  const first = await commit((tx, caller) => readPage(tx, caller, 0));
  const next = (after: number) => look((tx, caller) => readPage(tx, caller, after));
  // One step ahead of the client: what is audited has left, or is about to.
  return { fileName, text: Readable.from(linesOf(header, first, next), { highWaterMark: 1 }) };
});

async function* linesOf(
  header: readonly string[],
  first: Page,
  next: (after: number) => Promise<Page>,
): AsyncGenerator<string> {
  // Spreadsheets recognize UTF-8 by the byte order mark.
  yield `\ufeff${exactCsvLine(header)}`;
  let page = first;
  for (let last = page.ids.at(-1); last !== undefined; last = page.ids.at(-1)) {
    yield page.lines.join('');
    if (page.ids.length < batchRows) return;
    page = await next(last);
  }
}

/** Patients whom the clinic knows: neither anonymous ones, nor those that it has not recognized yet, nor itself in a test visit. */
async function readPatients(tx: Tx, { companyId }: StaffCaller, after: number): Promise<Page> {
  const rows = await tx
    .selectFrom('patients as p')
    .select(['p.patient_id', 'p.first_name', 'p.last_name', 'p.birth_date', 'p.email', 'p.external_id'])
    .select(
      sql<string[]>`coalesce((select array_agg(f.phone order by f.position) from patient_phones f
        where f.company_id = p.company_id and f.patient_id = p.patient_id), '{}')`.as('phones'),
    )
    .where('p.company_id', '=', companyId)
    .where('p.patient_id', '>', after)
    .where('p.archived_at', 'is', null)
    .where('p.verified', '=', true)
    .where('p.anonymous', '=', false)
    .where('p.is_test', '=', false)
    .orderBy('p.patient_id')
    .limit(batchRows)
    .execute();
  return {
    ids: rows.map((row) => row.patient_id),
    lines: rows.map((row) =>
      exactCsvLine([
        ...[row.external_id, row.first_name, row.last_name, row.birth_date],
        ...[row.phones.map(fromE164).join('; '), row.email],
      ]),
    ),
  };
}

/** The word for a status; what is still to end is scheduled. */
const statusWords: Partial<Record<Status, string>> = {
  completed: 'Completed',
  missed: 'Missed',
  cancelled: 'Cancelled',
};

async function readAppointments(
  tx: Tx,
  { companyId, timeZone }: StaffCaller,
  after: number,
  now: string,
): Promise<Page> {
  const rows = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select(['a.appointment_id', 'a.appointment_uid', 'a.external_id', 'a.starts_at', 'a.ends_at'])
    .select(['a.cancelled', 'a.cancelled_at', 'a.completed_elsewhere'])
    .select(visitColumns)
    .select(['p.first_name', 'p.last_name', 'p.birth_date', 'p.external_id as patient_external_id', 'd.email'])
    .where('a.company_id', '=', companyId)
    .where('a.appointment_id', '>', after)
    .where('a.archived_at', 'is', null)
    .where('p.is_test', '=', false)
    .orderBy('a.appointment_id')
    .limit(batchRows)
    .execute();
  return {
    ids: rows.map((row) => row.appointment_id),
    lines: rows.map((row) =>
      exactCsvLine([
        // What the import reads as an empty cell is no number.
        ...[
          optionalText(row.external_id) === '' ? row.appointment_uid : row.external_id,
          row.patient_external_id,
          row.first_name,
          row.last_name,
        ],
        ...[row.birth_date, row.email, startText(row.starts_at, timeZone)],
        (Date.parse(row.ends_at) - Date.parse(row.starts_at)) / 60_000,
        statusWords[statusOf(factsOf(row), now)] ?? 'Scheduled',
      ]),
    ),
  };
}

/** Wall time of the zone; with its offset when the clocks show it a second time. Seconds, which few starts have, are not lost. */
function startText(instant: string, zone: string): string {
  const { day, time } = instantToWall(instant, zone);
  const rest = new Date(instant).toISOString().slice(17, 23);
  const text = rest === '00.000' ? `${day} ${time}` : `${day} ${time}:${rest}`;
  const isFirst = Date.parse(wallToInstant(day, `${time}:${rest}`, zone)) === Date.parse(instant);
  return isFirst ? text : `${text} ${Temporal.Instant.from(instant).toZonedDateTimeISO(zone).offset}`;
}
