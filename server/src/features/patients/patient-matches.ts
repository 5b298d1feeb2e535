import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { fold } from '../../platform/fold.ts';
import { likePattern } from '../../platform/lists.ts';
import { notFound } from '../../platform/refusal.ts';

/** The fields in which two patients' records match. */
export type Same = 'name' | 'doB' | 'email' | 'phone';

interface Identity {
  readonly patientId: number;
  readonly verified: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly birthDate: string | null;
  readonly email: string;
  /** E.164; all of them. */
  readonly phones: readonly string[];
}

export interface Match extends Omit<Identity, 'phones' | 'verified'> {
  readonly phone: string | null;
  readonly same: readonly Same[];
}

export async function readKnown(tx: Tx, companyId: number, patientId: number): Promise<Identity> {
  const row = await tx
    .selectFrom('patients as p')
    .select(['p.patient_id', 'p.first_name', 'p.last_name', 'p.birth_date', 'p.email', 'p.verified'])
    .select(
      sql<
        string[]
      >`(select coalesce(json_agg(f.phone), '[]') from patient_phones f where f.patient_id = p.patient_id)`.as(
        'phones',
      ),
    )
    .where('p.company_id', '=', companyId)
    .where('p.patient_id', '=', patientId)
    .where('p.archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  return {
    patientId,
    verified: row.verified,
    firstName: row.first_name,
    lastName: row.last_name,
    birthDate: row.birth_date,
    email: row.email,
    phones: row.phones,
  };
}

/** Patients that one search returns. A name that is more common is not matched completely. */
const maxFoundPerSearch = 50;

/** Returns verified patients with the same email or phone, or the same name and birth date; best matches first. */
export async function findMatches(tx: Tx, companyId: number, patient: Identity): Promise<Match[]> {
  const searches = [
    `${patient.firstName} ${patient.lastName}`,
    ...(patient.email ? [patient.email] : []),
    ...patient.phones.map((phone) => phone.slice(2)),
  ];
  const ids = new Set<number>();
  for (const search of searches) {
    const pattern = likePattern(search);
    const { rows } = await sql<{ id: number }>`select find_patients(${pattern}, ${maxFoundPerSearch}) as id`.execute(
      tx,
    );
    for (const { id } of rows) if (id !== patient.patientId) ids.add(id);
  }
  const rows = await tx
    .selectFrom('patients as p')
    .select(['p.patient_id', 'p.first_name', 'p.last_name', 'p.birth_date', 'p.email'])
    .select(
      sql<
        string[]
      >`(select coalesce(json_agg(f.phone order by f.position), '[]') from patient_phones f where f.patient_id = p.patient_id)`.as(
        'phones',
      ),
    )
    .where('p.company_id', '=', companyId)
    .where('p.archived_at', 'is', null)
    .where('p.verified', '=', true)
    .where(sql<boolean>`p.patient_id = any(${[...ids]})`)
    .execute();
  const equal = (a: string, b: string) => fold(a) === fold(b);
  return rows
    .map((row): Match => {
      const same: Same[] = [];
      if (equal(row.first_name, patient.firstName) && equal(row.last_name, patient.lastName)) same.push('name');
      if (row.birth_date !== null && row.birth_date === patient.birthDate) same.push('doB');
      if (patient.email !== '' && equal(row.email, patient.email)) same.push('email');
      if (row.phones.some((phone) => patient.phones.includes(phone))) same.push('phone');
      return {
        patientId: row.patient_id,
        firstName: row.first_name,
        lastName: row.last_name,
        birthDate: row.birth_date,
        email: row.email,
        phone: row.phones[0] ?? null,
        same,
      };
    })
    .filter(({ same }) => same.length > 1 || same.includes('email') || same.includes('phone'))
    .toSorted((a, b) => b.same.length - a.same.length || a.patientId - b.patientId);
}

/** Whether patients may be merged without staff: same name, birth date and contact. Compare proven contacts only. */
export const isCertainMatch = ({ same }: Match): boolean =>
  same.includes('name') && same.includes('doB') && (same.includes('email') || same.includes('phone'));
