import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';
import type { Claimed } from './claimed.ts';
import { type ImportKind, type PlannedRow, refuse } from './kind.ts';

/**
 * Refuses rows of a patient (or the like) who was in an earlier row of the file, and keeps the keys of the rows. Keys are hashes with a key of the
 * installation, and deleted after the check.
 */
export async function refuseDoubles(
  tx: Tx,
  keys: Pick<Keys, 'mac'>,
  claimed: Claimed,
  kind: ImportKind,
  planned: readonly PlannedRow[],
): Promise<PlannedRow[]> {
  const secret = keys.mac('import', String(claimed.importId)).toString('base64');
  const keysByRow = planned.map(({ row, plan }) =>
    row.value === null || plan.kind === 'refuse' ? [] : kind.keysOf(row, plan).map((texts) => hashOf(secret, texts)),
  );
  /** The first line of each key among these rows. */
  const first = new Map<string, number>();
  planned.forEach(({ row: { line } }, at) => {
    for (const key of keysByRow[at] ?? []) if (!first.has(key)) first.set(key, line);
  });
  const earlier = await addKeys(tx, claimed, first);
  return planned.map((one, at): PlannedRow => {
    const { line } = one.row;
    const lines = (keysByRow[at] ?? []).map((key) => earlier.get(key) ?? first.get(key) ?? line);
    const firstLine = Math.min(line, ...lines);
    return firstLine < line ? { row: one.row, plan: refuse(kind.double, firstLine) } : one;
  });
}

/** Adds keys with their lines. Returns the lines of those that were there. */
async function addKeys(
  tx: Tx,
  { companyId, importId }: Claimed,
  first: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  if (first.size === 0) return new Map();
  const added = await sql<{ key: string }>`insert into import_keys (company_id, import_id, key, line)
    select ${companyId}, ${importId}, key, line from unnest(${[...first.keys()]}::bigint[], ${[...first.values()]}::bigint[])
      as n(key, line)
    on conflict do nothing returning key::text as key`.execute(tx);
  if (added.rows.length === first.size) return new Map();
  const fresh = new Set(added.rows.map(({ key }) => key));
  const known = [...first.keys()].filter((key) => !fresh.has(key));
  // One search of the index for each key, whatever the planner knows of the table.
  const found = await sql<{ key: string; line: number }>`select n.key::text as key, k.line
    from unnest(${known}::bigint[]) as n(key) cross join lateral (
      select line from import_keys where company_id = ${companyId} and import_id = ${importId} and key = n.key limit 1) k`.execute(
    tx,
  );
  return new Map(found.rows.map(({ key, line }) => [key, line]));
}

const hashOf = (secret: string, texts: readonly string[]): string =>
  hash('sha256', secret + JSON.stringify(texts), 'buffer')
    .readBigInt64BE()
    .toString();
