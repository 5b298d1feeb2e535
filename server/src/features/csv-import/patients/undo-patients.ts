import { sql } from 'kysely';
import { isoNow } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { openText, sealedPlaces } from '../../../platform/sealed-text.ts';
import { type PatientValues, updatePatients } from '../../patients/patient-rows.ts';
import type { ImportRow, Parts } from '../claimed.ts';
import type { Undone } from '../kind.ts';

/** Patients of one transaction. */
const batchSize = 500;

/** Archives the patients that the import has created, in the order of their ids. */
export async function archiveCreated(tx: Tx, context: Parts, row: ImportRow): Promise<Undone> {
  const { company_id: companyId, import_id: importId } = row;
  const found = await tx
    .selectFrom('patients as p')
    .select(['p.patient_id', 'p.version', 'p.archived_at'])
    .where('p.company_id', '=', companyId)
    .where('p.import_id', '=', importId)
    .where('p.patient_id', '>', row.position)
    .orderBy('p.patient_id')
    .limit(batchSize)
    .forNoKeyUpdate()
    .execute();
  if (found.length === 0) return { archived: [], restored: [], kept: 0, last: undefined };
  const present = found.filter((patient) => patient.archived_at === null);
  // A separate statement after the locks, so that it sees appointments that were booked meanwhile.
  const used = await withAppointments(
    tx,
    companyId,
    present.map((patient) => patient.patient_id),
  );
  const free = present
    .filter(({ patient_id, version }) => version === 0 && !used.has(patient_id))
    .map((patient) => patient.patient_id);
  await sql`update patients set archived_at = ${isoNow(context.clock)}
    where company_id = ${companyId} and patient_id = any(${free}::bigint[])`.execute(tx);
  return { archived: free, restored: [], kept: present.length - free.length, last: found.at(-1)?.patient_id };
}

/** Deleted appointments do not count: they have no records. */
async function withAppointments(tx: Tx, companyId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ patient_id: number }>`select distinct patient_id from appointments
    where company_id = ${companyId} and patient_id = any(${ids}::bigint[]) and archived_at is null`.execute(tx);
  return new Set(rows.map(({ patient_id }) => patient_id));
}

/** Gives patients that the import has changed their earlier values. Each change is deleted, or marked as left, when it was looked at. */
export async function restoreChanged(
  tx: Tx,
  context: Parts,
  { company_id: companyId, import_id: importId }: ImportRow,
): Promise<Undone> {
  const changes = await tx
    .selectFrom('import_changes')
    .select(['change_id', 'patient_id', 'version', 'before'])
    .where('company_id', '=', companyId)
    .where('import_id', '=', importId)
    .where('left_as_is', '=', false)
    .orderBy('patient_id')
    .limit(batchSize)
    .execute();
  if (changes.length === 0) return { archived: [], restored: [], kept: 0, last: undefined };
  const patients = await tx
    .selectFrom('patients')
    .select(['patient_id', 'version'])
    .where(sql<boolean>`patient_id = any(${changes.map((one) => one.patient_id)}::bigint[])`)
    .where('archived_at', 'is', null)
    .orderBy('patient_id')
    .forNoKeyUpdate()
    .execute();
  const versions = new Map(patients.map(({ patient_id, version }) => [patient_id, version]));
  const unedited = changes.filter(({ patient_id, version }) => versions.get(patient_id) === version);
  const earlier = [];
  for (const { patient_id: patientId, version, before } of unedited) {
    const text = await openText(tx, context.keys, companyId, before, sealedPlaces.importChange(importId, patientId));
    const values = JSON.parse(text) as PatientValues & { anonymous: boolean };
    earlier.push({ ...values, patientId, version: version + 1 });
  }
  await updatePatients(tx, companyId, earlier);
  const restored = unedited.map((one) => one.patient_id);
  await sql`delete from import_changes where company_id = ${companyId} and import_id = ${importId}
    and patient_id = any(${restored}::bigint[])`.execute(tx);
  const left = changes.filter((one) => !unedited.includes(one)).map((one) => one.change_id);
  await sql`update import_changes set left_as_is = true where change_id = any(${left}::bigint[])`.execute(tx);
  return { archived: [], restored, kept: changes.length - restored.length, last: changes.at(-1)?.patient_id };
}
