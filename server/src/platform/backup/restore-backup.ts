import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type BlobFiles, nameOf } from '../blob-files.ts';
import {
  beginRestore,
  DEFINER_ROLE,
  endRestore,
  listMigrations,
  prepareDatabase,
  withClient,
} from '../database/migrate.ts';
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

export interface Restored {
  readonly manifest: Manifest;
  /** Files of the backup that could not be restored, by their paths in its folder. */
  readonly damaged: readonly string[];
}

/**
 * Restores a backup into an empty database and an empty folder of blobs: the schema of the backup, its rows in one
 * transaction, the files, then newer migrations. Revokes all sign-ins, since some may have been revoked after the backup.
 * Files of the backup that are damaged or missing are left out, and named in the result. Until the end no server starts with the database.
 *
 * @throws BackupError when the backup's tables are damaged, the backup is of a newer Roomside, or the target is not empty; then the target's
 *   tables are empty
 */
export async function restoreBackup(target: RestoreTarget, folder: string, now: Temporal.Instant): Promise<Restored> {
  const manifest = await readManifest(folder);
  requireKnown(manifest);
  await requireEmpty(target);
  await withClient(target.owner, beginRestore);
  const last = manifest.migrations.at(-1)?.name;
  await prepareDatabase({
    owner: target.owner,
    ...applicationOf(target),
    now,
    restores: true,
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
  const damaged = await restoreFiles(target, manifest, folder);
  await prepareDatabase({ owner: target.owner, ...applicationOf(target), now, restores: true });
  await endInvitations(target, now);
  await withClient(target.owner, endRestore);
  return { manifest, damaged };
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

/** The links of invitations ended with the sign-ins: the page offers to send them again. Needs the columns of all migrations. */
async function endInvitations({ owner }: RestoreTarget, now: Temporal.Instant): Promise<void> {
  await withClient(owner, async (client) => {
    await client.query(`set role ${DEFINER_ROLE}`);
    await client.query(
      `update users set invited_at = null, invitation_ended_at = $1 where invited_at is not null and password_hash is null`,
      [now.toString()],
    );
  });
}

/** Restores the files after the rows. A damaged one does not keep the others back. Returns the damaged ones. */
async function restoreFiles(target: RestoreTarget, manifest: Manifest, folder: string): Promise<string[]> {
  const damaged: string[] = [];
  // First, since without them the verification of the audit log fails.
  if (manifest.anchors && !(await restoreAnchors(target, folder))) damaged.push(anchorsName);
  for (const { file, sha256 } of manifest.blobs) {
    const name = nameOf(file);
    const content = new BackupFile(path.join(folder, 'blobs', ...file.split('/')), sha256);
    try {
      if (name) await target.blobs.write(name, content.read());
    } catch (error) {
      // The target cannot be written.
      if (!content.isDamaged) throw error;
    }
    if (!name || content.isDamaged) damaged.push(`blobs/${file}`);
  }
  return damaged;
}

/** Returns false when the backup has no anchors although its manifest says so. */
async function restoreAnchors({ anchors }: RestoreTarget, folder: string): Promise<boolean> {
  const from = path.join(folder, anchorsName);
  const isThere = await access(from).then(
    () => true,
    () => false,
  );
  if (isThere) await copyFile(from, anchors);
  return isThere;
}

class BackupFile {
  /** Whether the file could not be read, or has another hash. */
  isDamaged = false;
  readonly #path: string;
  readonly #sha256: string;

  constructor(file: string, sha256: string) {
    this.#path = file;
    this.#sha256 = sha256;
  }

  /** Yields the content. Throws when it is damaged, at the end at the latest, so that the file is not stored. */
  async *read(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    const chunks: AsyncIterator<Buffer> = createReadStream(this.#path)[Symbol.asyncIterator]();
    try {
      for (let next = await this.#next(chunks); !next.done; next = await this.#next(chunks)) {
        hash.update(next.value);
        yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
    if (hash.digest('hex') !== this.#sha256) throw this.#damaged();
  }

  #next(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    return chunks.next().catch((error: unknown) => {
      throw this.#damaged(error);
    });
  }

  #damaged(cause?: unknown): BackupError {
    this.isDamaged = true;
    return new BackupError(`The backup's file ${this.#path} is damaged.`, { cause });
  }
}
