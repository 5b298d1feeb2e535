import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type BlobFiles, nameOf } from '../blob-files.ts';
import { DEFINER_ROLE, listMigrations, prepareDatabase } from '../database/migrate.ts';
import { anchorsName, BackupError, type Manifest, readManifest, tableFile } from './format.ts';
import { listTables, passPolicies, quote } from './tables.ts';
import { copyFile } from './write-backup.ts';

export interface RestoreTarget {
  /** Connects as the role that owns, or shall own, the tables of an empty database. */
  readonly owner: pg.ClientConfig;
  /** As in prepareDatabase. */
  readonly application?: pg.ClientConfig;
  /** Empty: a folder or a bucket. */
  readonly blobs: BlobFiles;
  readonly anchors: string;
}

/**
 * Restores a backup into an empty database and an empty folder of blobs: the schema of the backup, its rows in one
 * transaction, then newer migrations. Revokes all sign-ins, since some may have been revoked after the backup.
 *
 * @throws BackupError when the backup is damaged or of a newer Roomside, or the target is not empty; then the target's
 *   tables are empty
 */
export async function restoreBackup(target: RestoreTarget, folder: string, now: Temporal.Instant): Promise<Manifest> {
  const manifest = await readManifest(folder);
  requireKnown(manifest);
  await requireEmpty(target);
  const last = manifest.migrations.at(-1)?.name;
  await prepareDatabase({
    owner: target.owner,
    ...applicationOf(target),
    now,
    ...(last !== undefined && { upTo: last }),
  });
  const client = new pg.Client(target.owner);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin');
    for (const month of manifest.auditMonths)
      await client.query('select create_audit_partitions($1, 1)', [`${month}-01Z`]);
    await fillTables(client, manifest, folder);
    await endSignIns(client, now);
    await client.query('commit');
  } finally {
    await client.end();
  }
  await restoreFiles(target, manifest, folder);
  await prepareDatabase({ owner: target.owner, ...applicationOf(target), now });
  return manifest;
}

const applicationOf = ({ application }: RestoreTarget) => (application === undefined ? {} : { application });

function requireKnown({ migrations }: Manifest): void {
  const known = new Map(listMigrations().map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of migrations) {
    if (!known.has(name)) throw new BackupError(`The backup is of a newer Roomside: it has migration ${name}.`);
    if (known.get(name) !== checksum) {
      throw new BackupError(`The backup is of another Roomside: its migration ${name} is not the one that is here.`);
    }
  }
}

async function requireEmpty({ owner, blobs }: RestoreTarget): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_tables where schemaname = 'public'`,
  );
  await client.end();
  if (rows[0]?.n !== 0)
    throw new BackupError('The database is not empty: a backup is restored into an empty one only.');
  for await (const _ of blobs.list())
    throw new BackupError('There are uploaded files: a backup is restored into an empty folder or bucket only.');
}

async function fillTables(client: pg.Client, manifest: Manifest, folder: string): Promise<void> {
  const before = await definerRights(client);
  await passPolicies(client, 'select, insert, delete');
  // Deletes rows that migrations have inserted, since the backup has them. Children first.
  const ours = await listTables(client);
  for (const { name } of ours.toReversed()) {
    const { rowCount } = await client.query(`select from ${quote([name])} limit 1`);
    if (rowCount !== 0) await client.query(`delete from ${quote([name])}`);
  }
  for (const table of manifest.tables) {
    if (!ours.some(({ name }) => name === table.name))
      throw new BackupError(`The table ${table.name} is not known here.`);
    const file = tableFile(folder, table.name);
    const hash = createHash('sha256');
    const check = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const copy = client.query(copyFrom(`copy ${quote([table.name])} (${quote(table.columns)}) from stdin`));
    try {
      await pipeline(createReadStream(file), createGunzip(), check, copy);
    } catch (error) {
      throw new BackupError(`The backup's table ${table.name} cannot be read: ${(error as Error).message}`);
    }
    if (hash.digest('hex') !== table.sha256 || copy.rowCount !== table.rows) {
      throw new BackupError(`The backup's table ${table.name} is damaged.`);
    }
  }
  await client.query('reset role');
  for (const { name, last } of manifest.sequences) {
    if (last !== '0') await client.query('select setval($1::regclass, $2::bigint)', [name, last]);
  }
  await revokeGranted(client, before);
}

type Rights = ReadonlyMap<string, { insert: boolean; delete: boolean; select: boolean }>;

async function definerRights(client: pg.Client): Promise<Rights> {
  const { rows } = await client.query<{ name: string; insert: boolean; delete: boolean; select: boolean }>(
    `select tablename as name, has_table_privilege($1, 'public.' || quote_ident(tablename), 'insert') as insert,
       has_table_privilege($1, 'public.' || quote_ident(tablename), 'delete') as delete,
       has_table_privilege($1, 'public.' || quote_ident(tablename), 'select') as select
     from pg_tables where schemaname = 'public'`,
    [DEFINER_ROLE],
  );
  return new Map(rows.map((row) => [row.name, row]));
}

async function revokeGranted(client: pg.Client, before: Rights): Promise<void> {
  for (const [name, had] of before) {
    const granted = (['insert', 'delete', 'select'] as const).filter((right) => !had[right]);
    if (granted.length > 0) await client.query(`revoke ${granted.join(', ')} on ${quote([name])} from ${DEFINER_ROLE}`);
  }
}

async function endSignIns(client: pg.Client, now: Temporal.Instant): Promise<void> {
  await client.query(`grant select, update on sign_ins, one_time_tokens to ${DEFINER_ROLE}`);
  await client.query(`set local role ${DEFINER_ROLE}`);
  await client.query('update sign_ins set revoked_at = $1 where revoked_at is null', [now.toString()]);
  await client.query('update one_time_tokens set used_at = $1 where used_at is null', [now.toString()]);
  // What a user has ended since the backup stays ended.
  await client.query('delete from sign_in_tickets');
  await client.query('delete from trusted_devices');
  await client.query('reset role');
}

async function restoreFiles(target: RestoreTarget, { blobs, anchors }: Manifest, folder: string): Promise<void> {
  for (const { file, sha256 } of blobs) {
    const damaged = new BackupError(`The backup's file blobs/${file} is damaged.`);
    const name = nameOf(file);
    if (!name) throw damaged;
    const content = createReadStream(path.join(folder, 'blobs', ...file.split('/')));
    await target.blobs.write(name, hashed(content, sha256, damaged));
  }
  if (anchors) await copyFile(path.join(folder, anchorsName), target.anchors);
}

/** Yields the content. Throws at its end when the hash is another one, so that the file is not stored. */
async function* hashed(content: AsyncIterable<Buffer>, sha256: string, damaged: BackupError): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw damaged;
}
