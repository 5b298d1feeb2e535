import { Readable } from 'node:stream';
import { exportCsv as call, type ExportType } from '@roomside/contract/csv-import/calls.ts';
import { instantToWall, wallToInstant } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { exactCsvLine } from '../../platform/csv.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaffInSteps } from '../../platform/http/handler.ts';
import { fromE164 } from '../../platform/phone.ts';

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
  /** The rows behind an id, in the order of their ids. */
  read(tx: Tx, caller: StaffCaller, after: number): Promise<Page>;
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
 * Streams all rows in short transactions, whatever their number. Each of these has an audit row with the ids that left, as far as the download
 * got.
 */
export const exportCsv = forStaffInSteps(call, async ({ context, query, request, address, commit, touched }) => {
  const { type } = query;
  touched('export', type);
  const caller = await commit(async (_tx, signedIn) => signedIn);
  const { fileName } = sources[type];
  const lines = linesOf(context, caller, { type, address, requestId: request.id });
  // One step ahead of the client: what is audited has left, or is about to.
  return { fileName, text: Readable.from(lines, { highWaterMark: 1 }) };
});

interface Request {
  readonly type: ExportType;
  readonly address: string;
  readonly requestId: string;
}

async function* linesOf(
  context: Pick<Context, 'db' | 'clock'>,
  caller: StaffCaller,
  { type, address, requestId }: Request,
): AsyncGenerator<string> {
  const { header, audited, read } = sources[type];
  // Spreadsheets recognize UTF-8 by the byte order mark.
  yield `\ufeff${exactCsvLine(header)}`;
  for (let after = 0; ; ) {
    const from = after;
    const { ids, lines } = await context.db.open({ kind: 'job', companyId: caller.companyId }, async (tx) => {
      const page = await read(tx, caller, from);
      const objects = { [audited]: page.ids };
      const at = isoNow(context.clock);
      if (page.ids.length > 0)
        audit(tx, { caller, at, action: 'exportCsvRows', path: call.path, objects, address, requestId });
      return page;
    });
    const last = ids.at(-1);
    if (last === undefined) return;
    yield lines.join('');
    after = last;
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

async function readAppointments(tx: Tx, { companyId, timeZone }: StaffCaller, after: number): Promise<Page> {
  const rows = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .select(['a.appointment_id', 'a.appointment_uid', 'a.external_id', 'a.starts_at', 'a.ends_at', 'a.cancelled'])
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
        ...[row.external_id || row.appointment_uid, row.patient_external_id, row.first_name, row.last_name],
        ...[row.birth_date, row.email, startText(row.starts_at, timeZone)],
        (Date.parse(row.ends_at) - Date.parse(row.starts_at)) / 60_000,
        row.cancelled ? 'Canceled' : 'Scheduled',
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
