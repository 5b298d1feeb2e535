import { type PatientOfRow, readPatientRow } from '@roomside/contract/csv-import/read-row.ts';
import { sql } from 'kysely';
import { isoNow } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { sealBytes } from '../../../platform/envelope.ts';
import { fold } from '../../../platform/fold.ts';
import { sealedPlaces } from '../../../platform/sealed-text.ts';
import { insertPatients, reserveIds, updatePatients } from '../../patients/patient-rows.ts';
import type { ImportRow, Parts } from '../claimed.ts';
import type { ImportKind, Written } from '../kind.ts';
import { type PatientPlan, type PatientRow, type PlannedPatient, planPatients } from './plan-patients.ts';
import { archiveCreated, restoreChanged } from './undo-patients.ts';

export const patientKind: ImportKind<PatientOfRow, PatientPlan> = {
  readRow: readPatientRow,
  planRows: (tx, _context, rows, { isImport }) => planPatients(tx, rows, { lock: isImport }),
  keysOf,
  foundId: (plan) => (plan.kind === 'update' || plan.kind === 'keep' ? plan.stored.patientId : undefined),
  double: 'double',
  write: writePatients,
  undo: [archiveCreated, restoreChanged],
  audited: {
    write: 'importPatients',
    undo: 'undoImport',
    written: ({ created, updated }) => ({ created, updated }),
    undone: ({ archived, restored }) => ({ archived, restored }),
  },
};

/** Two rows with a common key are of one patient, by the rules of {@link planPatients}. */
function keysOf({ value: patient }: PatientRow, plan: PatientPlan): string[][] {
  if (!patient || plan.kind === 'refuse') return [];
  const person = [fold(patient.lastName), fold(patient.firstName), patient.birthDate];
  return [
    ...patient.phones.map((phone) => ['phone', ...person, phone]),
    ...(patient.email ? [['email', ...person, patient.email.toLowerCase()]] : []),
    ...(patient.externalId ? [['external', patient.externalId]] : []),
    ...(plan.kind === 'create' ? [] : [['patient', String(plan.stored.patientId)]]),
  ];
}

async function writePatients(
  tx: Tx,
  context: Parts,
  row: ImportRow,
  planned: readonly PlannedPatient[],
): Promise<Written> {
  const { company_id: companyId, import_id: importId } = row;
  const now = isoNow(context.clock);
  const added = planned.flatMap(({ plan }) => (plan.kind === 'create' ? [plan.values] : []));
  const ids = await reserveIds(tx, added.length);
  await insertPatients(
    tx,
    { companyId, importId, now },
    added.map((values, index) => ({ ...values, patientId: ids[index] ?? 0 })),
  );
  const changed = planned.flatMap(({ plan }) => (plan.kind === 'update' ? [plan] : []));
  if (changed.length > 0) {
    const key = await context.keys.data.current(tx, companyId, now);
    const before = changed.map(({ stored: { patientId, version: _version, ...values } }) =>
      sealBytes(key, Buffer.from(JSON.stringify(values)), sealedPlaces.importChange(importId, patientId)),
    );
    // Of a patient whom an earlier part of the file has changed, the first values stay.
    await sql`insert into import_changes (company_id, import_id, patient_id, version, before)
      select ${companyId}, ${importId}, patient_id, version, before
      from unnest(${changed.map(({ stored }) => stored.patientId)}::bigint[],
        ${changed.map(({ stored }) => stored.version + 1)}::int[], ${before}::bytea[]) as n(patient_id, version, before)
      on conflict (company_id, import_id, patient_id) do update set version = excluded.version`.execute(tx);
    await updatePatients(
      tx,
      companyId,
      changed.map(({ stored, values }) => ({
        ...values,
        patientId: stored.patientId,
        version: stored.version + 1,
        anonymous: false,
      })),
    );
  }
  return { created: ids, updated: changed.map(({ stored }) => stored.patientId) };
}
