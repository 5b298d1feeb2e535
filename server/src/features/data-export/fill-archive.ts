import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { UnreadableValue } from '../../platform/envelope.ts';
import { sealedColumns } from '../upkeep/reseal.ts';
import { auditCsv, openSealed, tableCsv } from './csv-rows.ts';
import { pathOf } from './entry-names.ts';
import { listedExports } from './export-tables.ts';
import { readmeOf } from './readme.ts';
import type { ZipArchive } from './zip-archive.ts';

type Parts = Pick<Context, 'db' | 'blobs' | 'keys' | 'log'>;

/** What an export has done so far. */
export interface Progress {
  rowsTotal: number;
  rowsDone: number;
  /** Content of files, photos and recordings. */
  bytesTotal: number;
  bytesDone: number;
}

interface Filling {
  readonly companyId: number;
  /** ISO instant. */
  readonly at: string;
  readonly zip: ZipArchive;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

type ContentTable = readonly [table: string, blob: NonNullable<(typeof listedExports)[number][1]['blob']>];
const contentTables: readonly ContentTable[] = listedExports.flatMap(([table, { blob }]) =>
  blob ? [[table, blob]] : [],
);

/** Contents whose rows are read in one transaction. */
const batchSize = 200;

/**
 * Writes all data of a company into an archive: the rows as of one moment, then the contents that they name. The moment is that of one
 * transaction, which ends before the contents are read: these never change, and one that was deleted meanwhile is noted as missing.
 */
export async function fillArchive(parts: Parts, filling: Filling): Promise<void> {
  const { companyId, zip, at, signal } = filling;
  // The keys of the rows with content: a few bytes for each.
  const keys = new Map<string, (number | string)[]>(contentTables.map(([table]) => [table, []]));
  await parts.db.snapshot({ kind: 'company', companyId }, async (tx) => {
    const company = tx.selectFrom('companies').select('company_name').where('company_id', '=', companyId);
    const { company_name: companyName } = await company.executeTakeFirstOrThrow();
    await addText(filling, 'README.txt', only(Buffer.from(readmeOf({ companyName, at }))));
    await countAll(tx, filling);
    for (const listed of listedExports) {
      signal.throwIfAborted();
      const [table, { blob }] = listed;
      const onRows = (rows: readonly Readonly<Record<string, unknown>>[]) => {
        filling.progress.rowsDone += rows.length;
        if (blob) keys.get(table)?.push(...rows.map((row) => row[blob.key] as number | string));
      };
      await addText(filling, `${table}.csv`, tableCsv({ tx, companyId, parts, onRows }, listed));
    }
    const onRows = (rows: readonly unknown[]) => {
      filling.progress.rowsDone += rows.length;
    };
    await addText(filling, 'audit_log.csv', auditCsv({ tx, onRows }));
  });
  for (const content of contentTables) await addContents(parts, filling, content, keys.get(content[0]) ?? []);
  await zip.end(new Date(at));
}

/** Counts what is to be done, for the progress. */
async function countAll(tx: Tx, { companyId, progress }: Filling): Promise<void> {
  for (const [table] of listedExports) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(table)} where company_id = ${companyId}`.execute(tx);
    progress.rowsTotal += rows[0]?.n ?? 0;
  }
  const audited = await sql<{ n: number }>`
    select count_audit(null, null, null, null, null, null, 2000000000) as n`.execute(tx);
  progress.rowsTotal += audited.rows[0]?.n ?? 0;
  for (const [table] of contentTables) {
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(sum(size), 0)::bigint as bytes from ${sql.table(table)} where company_id = ${companyId}`.execute(
      tx,
    );
    progress.bytesTotal += rows[0]?.bytes ?? 0;
  }
}

const addText = ({ zip, at }: Filling, path: string, content: AsyncIterable<Buffer>) =>
  zip.add({ path, content, at: new Date(at), compress: true });

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Adds the contents of a table, in the order of the keys. */
async function addContents(
  parts: Parts,
  filling: Filling,
  content: ContentTable,
  keys: readonly (number | string)[],
): Promise<void> {
  const { companyId, zip, progress, signal } = filling;
  const [table, { key, uid, folder }] = content;
  for (let from = 0; from < keys.length; from += batchSize) {
    const batch = keys.slice(from, from + batchSize);
    const rows = await readRows(parts, companyId, content, batch);
    for (const id of batch) {
      signal.throwIfAborted();
      const row = rows.get(id);
      if (!row) {
        zip.addMissing(`${folder}: ${table} ${key} ${id}`, 'Deleted during the export.');
        continue;
      }
      await addContent(parts, filling, { path: pathOf(folder, row), uid: String(row[uid]), size: Number(row['size']) });
    }
  }
  if (contentTables.at(-1)?.[0] === table) progress.bytesDone = progress.bytesTotal;
}

async function readRows(
  parts: Parts,
  companyId: number,
  [table, { key }]: ContentTable,
  ids: readonly (number | string)[],
): Promise<Map<number | string, Record<string, unknown>>> {
  return parts.db.open({ kind: 'job', companyId }, async (tx) => {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where company_id = ${companyId} and ${sql.ref(key)} = any(${ids})`.execute(tx);
    const sealed = sealedColumns.filter((one) => one.table === table);
    for (const row of rows) await openSealed(tx, parts, { companyId, row, sealed });
    return new Map(rows.map((row) => [row[key] as number | string, row]));
  });
}

/** Adds one content. One that cannot be read does not end the export: the manifest says so. */
async function addContent(
  { blobs, log }: Parts,
  { companyId, zip, at, progress }: Filling,
  { path, uid, size }: { path: string; uid: string; size: number },
): Promise<void> {
  const unreadable = (error: unknown) => {
    if (!(error instanceof UnreadableValue)) throw error;
    log.error({ companyId, uid }, 'a sealed file cannot be read');
  };
  const stored = await blobs.read({ companyId, uid }).catch(unreadable);
  if (!stored) {
    zip.addMissing(path, stored === null ? 'The content is missing.' : 'The content cannot be read.');
    progress.bytesDone += size;
    return;
  }
  let problem = '';
  const content = async function* () {
    try {
      for await (const chunk of stored as AsyncIterable<Buffer>) {
        progress.bytesDone += chunk.length;
        yield chunk;
      }
    } catch (error) {
      unreadable(error);
      problem = 'The content cannot be read completely.';
    }
  };
  await zip.add({ path, content: content(), at: new Date(at), compress: false, problem: () => problem });
}
