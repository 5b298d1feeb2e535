import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { listedTables } from './record-tables.ts';

/** How long a patient who left a visit may come back to it, ms. */
const absenceMs = 3_600_000;

/**
 * Returns whether an appointment has a record that refuses its deletion (`keepsAppointment`), or another patient
 * (`bindsPatient`).
 */
export const hasRecords = (
  tx: Tx,
  appointmentId: number,
  rule: 'keepsAppointment' | 'bindsPatient',
): Promise<boolean> =>
  exists(
    tx,
    listedTables.map(([table, { [rule]: condition }]) => [table, 'appointment_id', appointmentId, condition]),
  );

/** Returns whether a patient has a record that refuses the patient's deletion: an upcoming appointment. */
export const keepsPatient = (tx: Tx, patientId: number, now: string): Promise<boolean> =>
  exists(
    tx,
    listedTables.map(([table, entry]) => [table, 'patient_id', patientId, entry.keepsPatient?.(now)]),
  );

/**
 * Requires that none of the patients is in a visit: present, or gone for less than an hour from a visit that no one has ended. They may come back
 * by the same link.
 *
 * @param now ISO instant
 * @throws Refusal `patient-present`
 */
export async function requireNoVisit(tx: Tx, patientIds: readonly number[], now: string): Promise<void> {
  const inVisit = await tx
    .selectFrom('visits as v')
    .select('v.appointment_id')
    .where('v.patient_id', 'in', patientIds)
    .where((where) =>
      where.or([
        where('v.patient_present_at', 'is not', null),
        where.and([
          where('v.closed', '=', false),
          where.exists(
            where
              .selectFrom('peers as p')
              .select('p.peer_id')
              .whereRef('p.appointment_id', '=', 'v.appointment_id')
              .where('p.role_id', '=', 'P')
              .where('p.left_at', '>', new Date(Date.parse(now) - absenceMs).toISOString()),
          ),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (inVisit) throw new Refusal('patient-present');
}

type Search = readonly [table: string, column: string, id: number, condition: RawBuilder<SqlBool> | undefined];

/** Returns whether one of the tables has a row with the id for which its condition holds. Row-level security applies. */
async function exists(tx: Tx, searches: readonly Search[]): Promise<boolean> {
  const found = searches.flatMap(([table, column, id, condition]) =>
    condition
      ? [sql`exists (select 1 from ${sql.table(table)} r where r.${sql.ref(column)} = ${id} and (${condition}))`]
      : [],
  );
  const { rows } = await sql<{ found: boolean }>`select ${sql.join(found, sql` or `)} as found`.execute(tx);
  return rows[0]?.found === true;
}
