import type { PatientOfRow } from '@roomside/contract/csv-import/read-row.ts';
import { limits } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/database.ts';
import { fold } from '../../../platform/fold.ts';
import { fromE164, toE164 } from '../../../platform/phone.ts';
import type { PatientValues } from '../../patients/patient-rows.ts';
import { type FileRow, type Plan, type PlannedRow, refuse } from '../kind.ts';

/** A patient as stored. */
export interface StoredPatient extends PatientValues {
  readonly patientId: number;
  readonly version: number;
  readonly anonymous: boolean;
}

/** What an import does with a row of a patient. */
export type PatientPlan =
  | { readonly kind: 'create'; readonly values: PatientValues }
  | { readonly kind: 'update'; readonly stored: StoredPatient; readonly values: PatientValues }
  /** The patient is there with these values. */
  | { readonly kind: 'keep'; readonly stored: StoredPatient }
  | Extract<Plan, { kind: 'refuse' }>;

export type PatientRow = FileRow<PatientOfRow>;
export type PlannedPatient = PlannedRow<PatientOfRow, PatientPlan>;

/**
 * Says what becomes of rows: a patient of the same external id, otherwise of the same name, birth date and phone or email, is updated;
 * others are created (decision 063). `lock`: the patients that are found are locked against changes until the end of the transaction.
 */
export async function planPatients(
  tx: Tx,
  rows: readonly PatientRow[],
  { lock }: { lock: boolean },
): Promise<PlannedPatient[]> {
  const found = await matchPatients(tx, rows);
  const ids = [...new Set(found.flatMap(({ patient_id }) => patient_id))];
  const stored = await readPatients(tx, ids, lock);
  const byRow = Map.groupBy(found, ({ n }) => n);
  return rows.map((row, n) => ({ row, plan: planRow(row, byRow.get(n) ?? [], stored) }));
}

interface Match {
  /** The place of the row. */
  readonly n: number;
  readonly patient_id: number;
  readonly by_external: boolean;
}

async function matchPatients(tx: Tx, rows: readonly PatientRow[]): Promise<readonly Match[]> {
  const asked = rows.flatMap(({ value: patient }, n) =>
    patient
      ? [
          {
            n,
            e: patient.externalId,
            f: patient.firstName,
            l: patient.lastName,
            b: patient.birthDate,
            m: patient.email,
            p: patient.phones.map(toE164),
          },
        ]
      : [],
  );
  if (asked.length === 0) return [];
  const result = await sql<Match>`select * from match_patients(${JSON.stringify(asked)}::jsonb)`.execute(tx);
  return result.rows;
}

async function readPatients(
  tx: Tx,
  ids: readonly number[],
  lock: boolean,
): Promise<ReadonlyMap<number, StoredPatient>> {
  if (ids.length === 0) return new Map();
  const query = tx
    .selectFrom('patients')
    .select(['patient_id', 'first_name', 'last_name', 'birth_date', 'email', 'external_id', 'version', 'anonymous'])
    .where(sql<boolean>`patient_id = any(${ids}::bigint[])`)
    .where('archived_at', 'is', null)
    .orderBy('patient_id');
  const rows = await (lock ? query.forNoKeyUpdate() : query).execute();
  const phones = await tx
    .selectFrom('patient_phones')
    .select(['patient_id', 'phone'])
    .where(sql<boolean>`patient_id = any(${ids}::bigint[])`)
    .orderBy('patient_id')
    .orderBy('position')
    .execute();
  const phonesOf = Map.groupBy(phones, ({ patient_id }) => patient_id);
  return new Map(
    rows.map((row) => [
      row.patient_id,
      {
        patientId: row.patient_id,
        version: row.version,
        anonymous: row.anonymous,
        firstName: row.first_name,
        lastName: row.last_name,
        birthDate: row.birth_date,
        email: row.email,
        externalId: row.external_id,
        phones: (phonesOf.get(row.patient_id) ?? []).map(({ phone }) => fromE164(phone)),
      },
    ]),
  );
}

function planRow(
  { value: patient, problems }: PatientRow,
  matches: readonly Match[],
  stored: ReadonlyMap<number, StoredPatient>,
): PatientPlan {
  if (!patient) return { kind: 'refuse', problems };
  const byExternal = matches.filter(({ by_external }) => by_external);
  const candidates = byExternal.length > 0 ? byExternal : matches;
  if (candidates.length > 1) return refuse('several', candidates.length);
  const known = stored.get(candidates[0]?.patient_id ?? 0);
  if (!known) return isTooMany(patient) ? refuse('too-many-phones') : { kind: 'create', values: patient };
  if (byExternal.length > 0 && isOther(known, patient)) return refuse('other-person');
  const isOtherId = known.externalId !== '' && patient.externalId !== '' && known.externalId !== patient.externalId;
  if (byExternal.length === 0 && isOtherId) return refuse('other-external');
  const values = merged(known, patient);
  if (isTooMany(values)) return refuse('too-many-phones');
  return isEqual(known, values) ? { kind: 'keep', stored: known } : { kind: 'update', stored: known, values };
}

const isTooMany = ({ phones }: Pick<PatientValues, 'phones'>) => phones.length > limits.patientPhones;

const isSame = (one: string, other: string) => fold(one) === fold(other);

/** A number that was given to another person: neither the name nor the birth date is the same. */
const isOther = (known: StoredPatient, patient: PatientOfRow): boolean =>
  known.birthDate !== patient.birthDate &&
  !(isSame(known.firstName, patient.firstName) && isSame(known.lastName, patient.lastName));

/**
 * The values of the row over those that are stored. Empty cells change nothing, phones are added, and a text that differs in capitals, accents'
 * encoding or apostrophes only stays as it is stored.
 */
function merged(known: StoredPatient, patient: PatientOfRow): PatientValues {
  const text = (stored: string, read: string) => (read === '' || isSame(stored, read) ? stored : read);
  return {
    firstName: text(known.firstName, patient.firstName),
    lastName: text(known.lastName, patient.lastName),
    birthDate: patient.birthDate,
    email: text(known.email, patient.email),
    externalId: patient.externalId === '' ? known.externalId : patient.externalId,
    phones: [...new Set([...known.phones, ...patient.phones])],
  };
}

function isEqual(one: PatientValues, other: PatientValues): boolean {
  const valuesOf = ({ firstName, lastName, birthDate, email, externalId, phones }: PatientValues) =>
    JSON.stringify([firstName, lastName, birthDate, email, externalId, phones]);
  return valuesOf(one) === valuesOf(other);
}
