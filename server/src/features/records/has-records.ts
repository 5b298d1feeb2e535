import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { listedTables } from './record-tables.ts';

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
