import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { fold } from '../../platform/fold.ts';
import { fromE164, toE164 } from '../../platform/phone.ts';

export interface PatientValues {
  firstName: string;
  lastName: string;
  /** YYYY-MM-DD */
  birthDate: string | null;
  email: string;
  externalId: string;
  /** Ten digits each. */
  phones: readonly string[];
}

/** The text that the search matches, for example 'ann lee ann ann@x.test ext-1 2125551234'. */
function searchText(values: PatientValues): string {
  const { firstName, lastName, email, externalId, phones } = values;
  return fold([firstName, lastName, firstName, email, externalId, ...phones].filter(Boolean).join(' '));
}

const columns = (values: PatientValues) => ({
  first_name: values.firstName.trim(),
  last_name: values.lastName.trim(),
  birth_date: values.birthDate,
  email: values.email.trim(),
  external_id: values.externalId.trim(),
  search: searchText(values),
});

/** A patient who booked by link: the id was reserved before, and the identity is not verified. */
interface NewPatient {
  readonly patientId: number;
  readonly verified: boolean;
}

/** Creates a patient with their phones. Returns the id. */
export async function insertPatient(
  tx: Tx,
  values: PatientValues & {
    companyId: number;
    anonymous: boolean;
    isTest?: boolean;
    now: string;
  } & Partial<NewPatient>,
): Promise<number> {
  const { patient_id } = await tx
    .insertInto('patients')
    .values({
      ...columns(values),
      ...(values.patientId !== undefined && { patient_id: values.patientId }),
      company_id: values.companyId,
      anonymous: values.anonymous,
      is_test: values.isTest ?? false,
      verified: values.verified ?? true,
      created_at: values.now,
    })
    .returning('patient_id')
    .executeTakeFirstOrThrow();
  await writePhones(tx, values.companyId, patient_id, values.phones);
  return patient_id;
}

/** Returns the values and the version of a patient who is not archived, in the form of {@link updatePatient}. */
export async function readPatient(tx: Tx, patientId: number): Promise<PatientValues & { version: number }> {
  const row = await tx
    .selectFrom('patients')
    .select(['first_name', 'last_name', 'birth_date', 'email', 'external_id', 'version'])
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow();
  const phones = await tx
    .selectFrom('patient_phones')
    .select('phone')
    .where('patient_id', '=', patientId)
    .orderBy('position')
    .execute();
  return {
    firstName: row.first_name,
    lastName: row.last_name,
    birthDate: row.birth_date,
    email: row.email,
    externalId: row.external_id,
    version: row.version,
    phones: phones.map(({ phone }) => fromE164(phone)),
  };
}

export async function updatePatient(
  tx: Tx,
  companyId: number,
  patientId: number,
  version: number,
  values: PatientValues,
): Promise<void> {
  await tx
    .updateTable('patients')
    .set({ ...columns(values), version, anonymous: false })
    .where('patient_id', '=', patientId)
    .execute();
  await tx
    .deleteFrom('patient_phones')
    .where('company_id', '=', companyId)
    .where('patient_id', '=', patientId)
    .execute();
  await writePhones(tx, companyId, patientId, values.phones);
}

async function writePhones(tx: Tx, company_id: number, patient_id: number, phones: readonly string[]): Promise<void> {
  if (phones.length === 0) return;
  const rows = phones.map((phone, position) => ({ company_id, patient_id, position, phone: toE164(phone) }));
  await tx.insertInto('patient_phones').values(rows).execute();
}

/** A patient of a set, with the id. */
export type NumberedPatient = PatientValues & { readonly patientId: number };

/** Creates verified patients with their phones, whose ids were reserved ({@link reserveIds}). Two statements for any number. */
export async function insertPatients(
  tx: Tx,
  { companyId, importId, now }: { companyId: number; importId: number; now: string },
  patients: readonly NumberedPatient[],
): Promise<void> {
  if (patients.length === 0) return;
  const rows = arraysOf(patients);
  await sql`insert into patients
      (patient_id, company_id, first_name, last_name, birth_date, email, external_id, search, created_at, import_id)
    select id, ${companyId}, first_name, last_name, birth_date, email, external_id, search, ${now}, ${importId}
    from unnest(${rows.ids}::bigint[], ${rows.firstNames}::text[], ${rows.lastNames}::text[], ${rows.birthDates}::date[],
      ${rows.emails}::text[], ${rows.externalIds}::text[], ${rows.searches}::text[])
      as n(id, first_name, last_name, birth_date, email, external_id, search)`.execute(tx);
  await insertPhones(tx, companyId, patients);
}

/** Changes patients that are locked. Three statements for any number. `version` is the new one. */
export async function updatePatients(
  tx: Tx,
  companyId: number,
  patients: readonly (NumberedPatient & { readonly version: number; readonly anonymous: boolean })[],
): Promise<void> {
  if (patients.length === 0) return;
  const rows = arraysOf(patients);
  await sql`update patients p set first_name = n.first_name, last_name = n.last_name, birth_date = n.birth_date, email = n.email,
      external_id = n.external_id, search = n.search, version = n.version, anonymous = n.anonymous
    from unnest(${rows.ids}::bigint[], ${rows.firstNames}::text[], ${rows.lastNames}::text[], ${rows.birthDates}::date[],
      ${rows.emails}::text[], ${rows.externalIds}::text[], ${rows.searches}::text[],
      ${patients.map(({ version }) => version)}::int[], ${patients.map(({ anonymous }) => anonymous)}::boolean[])
      as n(id, first_name, last_name, birth_date, email, external_id, search, version, anonymous)
    where p.company_id = ${companyId} and p.patient_id = n.id`.execute(tx);
  await sql`delete from patient_phones where company_id = ${companyId} and patient_id = any(${rows.ids}::bigint[])`.execute(
    tx,
  );
  await insertPhones(tx, companyId, patients);
}

/** Returns new ids. */
export async function reserveIds(tx: Tx, count: number): Promise<readonly number[]> {
  if (count === 0) return [];
  const { rows } = await sql<{ id: number }>`select nextval('ids') as id from generate_series(1, ${count})`.execute(tx);
  return rows.map(({ id }) => id);
}

function arraysOf(patients: readonly NumberedPatient[]) {
  const rows = patients.map((values) => columns(values));
  return {
    ids: patients.map(({ patientId }) => patientId),
    firstNames: rows.map((row) => row.first_name),
    lastNames: rows.map((row) => row.last_name),
    birthDates: rows.map((row) => row.birth_date),
    emails: rows.map((row) => row.email),
    externalIds: rows.map((row) => row.external_id),
    searches: rows.map((row) => row.search),
  };
}

async function insertPhones(tx: Tx, companyId: number, patients: readonly NumberedPatient[]): Promise<void> {
  const rows = patients.flatMap(({ patientId, phones }) =>
    phones.map((phone, position) => ({ patientId, position, phone: toE164(phone) })),
  );
  if (rows.length === 0) return;
  await sql`insert into patient_phones (company_id, patient_id, position, phone)
    select ${companyId}, id, position, phone from unnest(${rows.map(({ patientId }) => patientId)}::bigint[],
      ${rows.map(({ position }) => position)}::int[], ${rows.map(({ phone }) => phone)}::text[]) as n(id, position, phone)`.execute(
    tx,
  );
}
