import { sql } from 'kysely';
import type { StoredName } from '../../platform/blob-files.ts';
import type { Context } from '../../platform/context.ts';

type Parts = Pick<Context, 'blobs' | 'db' | 'clock' | 'log'>;

const dayMs = 86_400_000;
/** Blobs whose rows are looked up in one transaction. */
const batchSize = 500;
/** More blobs without a row than this, and than a tenth of all: the bucket or the database is probably not the right one. */
const manyOrphans = 100;

/** Every column that names a blob. A blob that none of them has is deleted. */
export const blobColumns = [
  { table: 'files', column: 'file_uid' },
  { table: 'recording_blobs', column: 'blob_uid' },
  { table: 'photos', column: 'file_uid' },
  { table: 'data_export_parts', column: 'blob_uid' },
  { table: 'imports', column: 'file_uid' },
  { table: 'imports', column: 'wrong_uid' },
] as const;

export interface Swept {
  /** Temporary files, or uploads to a bucket. */
  readonly unfinished: number;
  /** Blobs without a row. */
  readonly orphans: number;
}

/**
 * Deletes what a process that was killed during an upload has left: unfinished files, and blobs without a row. Both only when
 * they have not changed for a day, so that no running upload is affected.
 */
export async function sweepFiles(parts: Parts): Promise<Swept> {
  const before = parts.clock.now() - dayMs;
  const orphans = await deleteOrphans(parts, before);
  const unfinished = await parts.blobs.deleteUnfinished(before);
  if (orphans + unfinished > 0) parts.log.info({ orphans, unfinished }, 'files of interrupted uploads were deleted');
  return { orphans, unfinished };
}

async function deleteOrphans(parts: Parts, before: number): Promise<number> {
  const orphans: StoredName[] = [];
  let total = 0;
  let batch: StoredName[] = [];
  for await (const name of parts.blobs.listWithTimes()) {
    total += 1;
    if (name.writtenAt >= before) continue;
    // A transaction sees the rows of one company.
    if (batch.length === batchSize || (batch[0] && batch[0].companyId !== name.companyId)) {
      orphans.push(...(await withoutRow(parts, batch)));
      batch = [];
    }
    batch.push(name);
  }
  orphans.push(...(await withoutRow(parts, batch)));
  if (orphans.length > Math.max(manyOrphans, total / 10)) {
    parts.log.error({ orphans: orphans.length, total }, 'many files have no row: none was deleted');
    return 0;
  }
  for (const name of orphans) await parts.blobs.delete(name);
  return orphans.length;
}

/** Returns those of the blobs, all of one company, that no row names. */
async function withoutRow({ db }: Parts, names: readonly StoredName[]): Promise<StoredName[]> {
  const [first] = names;
  if (!first) return [];
  const uids = names.map(({ uid }) => uid);
  const known = await db.open({ kind: 'job', companyId: first.companyId }, async (tx) => {
    const found = new Set<string>();
    for (const { table, column } of blobColumns) {
      const { rows } = await sql<{ uid: string }>`
        select ${sql.ref(column)} as uid from ${sql.table(table)} where ${sql.ref(column)} = any(${uids})`.execute(tx);
      for (const { uid } of rows) found.add(uid);
    }
    return found;
  });
  return names.filter(({ uid }) => !known.has(uid));
}
