import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { fold } from '../../platform/fold.ts';
import { likePattern } from '../../platform/lists.ts';
import { notFound } from '../../platform/refusal.ts';

/** What tells that two records are one person's. */
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

/** As many as the search brings per question; names that common need a better question. */
const maxFound = 50;

/** Known patients who share the name with the birth date, the email or a phone: those with most in common first. */
export async function findMatches(tx: Tx, companyId: number, who: Identity): Promise<Match[]> {
  const questions = [
    `${who.firstName} ${who.lastName}`,
    ...(who.email ? [who.email] : []),
    ...who.phones.map((phone) => phone.slice(2)),
  ];
  const ids = new Set<number>();
  for (const question of questions) {
    const pattern = likePattern(question);
    const { rows } = await sql<{ id: number }>`select find_patients(${pattern}, ${maxFound}) as id`.execute(tx);
    for (const { id } of rows) if (id !== who.patientId) ids.add(id);
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
      if (equal(row.first_name, who.firstName) && equal(row.last_name, who.lastName)) same.push('name');
      if (row.birth_date !== null && row.birth_date === who.birthDate) same.push('doB');
      if (who.email !== '' && equal(row.email, who.email)) same.push('email');
      if (row.phones.some((phone) => who.phones.includes(phone))) same.push('phone');
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

/** Sure enough to join without asking: name, birth date, and a contact; the caller asks with the proven one only. */
export const isCertainMatch = ({ same }: Match): boolean =>
  same.includes('name') && same.includes('doB') && (same.includes('email') || same.includes('phone'));
