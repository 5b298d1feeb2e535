import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type BlobFiles, type BlobName, placeOf } from '../blob-files.ts';
import { sqlStates } from '../database/sql-states.ts';
import { anchorsName, BackupError, type Manifest, manifestFile, tableFile } from './format.ts';
import { listAuditMonths, listSequences, listTables, passPolicies, quote, type Table } from './tables.ts';

export interface BackupSource {
  /** Connects as the role that owns the tables. */
  readonly owner: pg.ClientConfig;
  /** The sealed blobs: a folder or a bucket. */
  readonly blobs: BlobFiles;
  /** File of the audit log's anchors. */
  readonly anchors: string;
}

/**
 * Writes a backup into a folder that is absent or empty: all tables in one snapshot, then the blobs. The server may run
 * meanwhile. Returns the manifest.
 *
 * @throws BackupError when the folder is not empty, there is no database yet, or the key of a company was changed meanwhile
 */
export async function writeBackup(source: BackupSource, folder: string, createdAt: string): Promise<Manifest> {
  await prepareFolder(folder);
  // Copied first: an anchor that is newer than the tables would look like a truncated chain.
  const anchors = await copyIfExists(source.anchors, path.join(folder, anchorsName));
  const client = new pg.Client(source.owner);
  client.on('error', () => {});
  await client.connect();
  try {
    const migrations = await readMigrationLog(client);
    await client.query('begin isolation level repeatable read');
    await passPolicies(client, 'select');
    const keys = await newestKeys(client);
    const tables: Manifest['tables'] = [];
    for (const table of await listTables(client)) {
      const { rows, sha256 } = await writeTable(client, table, tableFile(folder, table.name));
      tables.push({ name: table.name, columns: [...table.columns], rows, sha256 });
    }
    await client.query('reset role');
    const auditMonths = await listAuditMonths(client);
    const sequences = await listSequences(client);
    // Revokes the right to read; nothing else was changed.
    await client.query('rollback');
    const blobs = await copyBlobs(source.blobs, path.join(folder, 'blobs'));
    await requireSameKeys(client, keys);
    const manifest: Manifest = { format: 1, createdAt, migrations, tables, auditMonths, sequences, blobs, anchors };
    await writeDurably(manifestFile(folder), `${JSON.stringify(manifest, null, 1)}\n`);
    return manifest;
  } finally {
    await client.end();
  }
}

/** The newest key of each company that has one, in the rights of {@link passPolicies}. */
async function newestKeys(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ company: string; key: string }>(
    'select company_id::text as company, max(key_id)::text as key from data_keys group by company_id',
  );
  return new Map(rows.map(({ company, key }) => [company, key]));
}

/** Files are copied after the tables: after `rotate-keys --data` they are sealed by keys that the copied tables do not have. */
async function requireSameKeys(client: pg.Client, before: ReadonlyMap<string, string>): Promise<void> {
  await client.query('begin');
  await passPolicies(client, 'select');
  const after = await newestKeys(client);
  await client.query('rollback');
  // A company that is new has no rows in the backup.
  const changed = [...after].some(([company, key]) => before.has(company) && before.get(company) !== key);
  if (changed)
    throw new BackupError('Keys of companies were changed during the backup: make it again, into another folder.');
}

async function prepareFolder(folder: string): Promise<void> {
  const names = await fs.readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0) throw new BackupError(`${folder} is not empty: a backup goes into a new folder.`);
  await fs.mkdir(path.join(folder, 'tables'), { recursive: true, mode: 0o700 });
  await fs.mkdir(path.join(folder, 'blobs'), { mode: 0o700 });
}

async function readMigrationLog(client: pg.Client): Promise<Manifest['migrations']> {
  try {
    const { rows } = await client.query<Manifest['migrations'][number]>(
      'select name, checksum from schema_migrations order by name',
    );
    return rows;
  } catch (error) {
    if ((error as { code?: string }).code !== sqlStates.undefinedTable) throw error;
    throw new BackupError('The database has no tables of Roomside: there is nothing to back up.');
  }
}

/** One line of COPY's text format is one row. */
async function writeTable(client: pg.Client, table: Table, file: string): Promise<{ rows: number; sha256: string }> {
  const sql = `copy (select ${quote(table.columns)} from ${quote([table.name])}) to stdout`;
  const hash = createHash('sha256');
  let rows = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
      done(null, chunk);
    },
  });
  await pipeline(
    client.query(copyTo(sql)),
    count,
    createGzip({ level: 1 }),
    createWriteStream(file, { mode: 0o600, flush: true }),
  );
  return { rows, sha256: hash.digest('hex') };
}

async function copyBlobs(from: BlobFiles, to: string): Promise<Manifest['blobs']> {
  const copied: Manifest['blobs'] = [];
  for await (const name of from.list()) {
    const blob = await from.open(name);
    // The blob was deleted meanwhile.
    if (!blob) continue;
    const file = placeOf(name);
    const target = path.join(to, ...file.split('/'));
    await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    try {
      copied.push({ file, ...(await writeFile(blob.read(0, blob.size), target)) });
    } catch (error) {
      if (await exists(from, name)) throw error;
      // A bucket ends the reading of an object that is deleted.
      await fs.rm(target, { force: true });
    } finally {
      await blob.close();
    }
  }
  return copied;
}

async function exists(files: BlobFiles, name: BlobName): Promise<boolean> {
  const file = await files.open(name);
  await file?.close();
  return file !== null;
}

/** Copies a file durably. */
export const copyFile = (from: string, to: string): Promise<{ size: number; sha256: string }> =>
  writeFile(createReadStream(from), to);

async function writeFile(from: AsyncIterable<Buffer>, to: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const through = new PassThrough();
  through.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    size += chunk.length;
  });
  await pipeline(from, through, createWriteStream(to, { mode: 0o600, flush: true }));
  return { size, sha256: hash.digest('hex') };
}

async function copyIfExists(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await fs.rm(to, { force: true });
    return false;
  }
}

async function writeDurably(file: string, content: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await fs.writeFile(unfinished, content, { mode: 0o600, flush: true });
  await fs.rename(unfinished, file);
}
