import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { fold } from '../../platform/fold.ts';
import type { Keys } from '../../platform/keys.ts';
import type { Claimed } from './claimed.ts';
import type { PlannedRow } from './plan-rows.ts';

/** Which rows of a file are of a patient of an earlier row. */
interface Key {
  readonly key: string;
  readonly line: number;
}

/**
 * Refuses rows of a patient who was in an earlier row of the file, and keeps the keys of the others. Keys are hashes with a key of the
 * installation, and deleted after the check.
 */
export async function refuseDoubles(
  tx: Tx,
  keys: Pick<Keys, 'mac'>,
  { companyId, importId }: Claimed,
  planned: readonly PlannedRow[],
): Promise<PlannedRow[]> {
  const keysByRow = planned.map((row) => keysOf(keys, importId, row));
  const all = [...new Set(keysByRow.flat())];
  if (all.length === 0) return [...planned];
  const known = await sql<Key>`select key::text as key, line from import_keys
    where company_id = ${companyId} and import_id = ${importId} and key = any(${all}::bigint[])`.execute(tx);
  const lines = new Map(known.rows.map(({ key, line }) => [key, line]));
  const added: Key[] = [];
  const result = planned.map((one, at): PlannedRow => {
    const own = keysByRow[at] ?? [];
    const earlier = own.map((key) => lines.get(key)).find((line) => line !== undefined);
    if (earlier !== undefined) return { row: one.row, plan: doubleOf(earlier) };
    for (const key of new Set(own)) {
      lines.set(key, one.row.line);
      added.push({ key, line: one.row.line });
    }
    return one;
  });
  await sql`insert into import_keys (company_id, import_id, key, line)
    select ${companyId}, ${importId}, key, line from unnest(${added.map(({ key }) => key)}::bigint[],
      ${added.map(({ line }) => line)}::bigint[]) as n(key, line)`.execute(tx);
  return result;
}

export const doubleOf = (line: number) =>
  ({ kind: 'refuse', problems: [{ code: 'double', columnIdx: null, detail: line }] }) as const;

/** Two rows with a common key are of one patient, by the rules of planRows. */
function keysOf({ mac }: Pick<Keys, 'mac'>, importId: number, { row: { patient }, plan }: PlannedRow): string[] {
  if (!patient || plan.kind === 'refuse') return [];
  const person = [fold(patient.lastName), fold(patient.firstName), patient.birthDate];
  const texts: string[][] = [
    ...patient.phones.map((phone) => ['phone', ...person, phone]),
    ...(patient.email ? [['email', ...person, patient.email.toLowerCase()]] : []),
    ...(patient.externalId ? [['external', patient.externalId]] : []),
    ...(plan.kind === 'create' ? [] : [['patient', String(plan.stored.patientId)]]),
  ];
  return texts.map((parts) =>
    mac('import', JSON.stringify([importId, ...parts]))
      .readBigInt64BE()
      .toString(),
  );
}
