import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { auditMonthsAhead } from '../audit-partitions.ts';
import { sqlStates } from './sql-states.ts';

/**
 * The role of the application. Grants and row-level policies name it. The application connects as it, or as a role that is
 * a member of it.
 */
export const APPLICATION_ROLE = 'app_user';
/** Owns the functions that read across companies. It cannot log in. */
export const DEFINER_ROLE = 'roomside_definer';

/** May read the audit log. The operator grants it. */
const AUDITOR_ROLE = 'roomside_auditor';

/** The repository's migrations, in the server's folder: this file may be a part of a built program. */
export const MIGRATIONS = path.join(path.dirname(findPackageJSON('..', import.meta.url) ?? ''), 'migrations');

/** The message is one sentence for the person who starts the server. */
export class DatabaseSetupError extends Error {
  override name = 'DatabaseSetupError';
}

export interface PrepareOptions {
  /** Connects as the role that owns, or shall own, the tables. */
  readonly owner: pg.ClientConfig;
  /**
   * Connects as the application's role. Left out: the application uses the owner's connection with `role` set to app_user.
   * That protects against a forgotten WHERE, but not against injected SQL that resets the role.
   */
  readonly application?: pg.ClientConfig;
  /** The current time, for the log of migrations. */
  readonly now: Temporal.Instant;
  /** Folder of `NNN-name.sql` files, and of the functions in `functions/*.sql`. */
  readonly folder?: string;
  /** The last migration to apply; left out: all. */
  readonly upTo?: string;
  /** The installation has been used: an empty database is refused, since it would look like a new installation. */
  readonly isInstalled?: boolean;
  /** Called by the restore of a backup, which has called {@link beginRestore}. */
  readonly restores?: boolean;
}

export interface PreparedDatabase {
  /** The connection of the application's pool. */
  readonly application: pg.ClientConfig;
  /** Names of the migrations that were applied by this call. */
  readonly applied: readonly string[];
}

/**
 * Migrates the database to the current schema. Returns the connection for the application.
 *
 * @throws DatabaseSetupError when a role is missing or has too many rights, the migrations do not fit the database, it is empty and should
 *   not be, or a restore into it did not finish
 */
export async function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  const { owner, application } = options;
  const login = application && new pg.Client(application).user;
  const applied = await withClient(owner, async (client) => {
    await requireUtf8(client);
    await lockMigrations(client);
    await requireTables(client, options);
    await ensureRoles(client, login);
    const names = await applyMigrations(client, options);
    await applyFunctions(client, options);
    await createPartitions(client, options.now);
    return names;
  });
  const chosen = application ?? { ...owner, options: `-c role=${APPLICATION_ROLE}` };
  const role = await inspectRole(chosen);
  if (role.isSuperuser || role.bypassesRowSecurity) {
    const right = role.isSuperuser ? 'is a superuser' : 'may bypass row-level security';
    throw new DatabaseSetupError(
      `The database role ${role.name} ${right}, so companies would not be kept apart: give DATABASE_URL an ordinary role.`,
    );
  }
  return { application: chosen, applied };
}

/** Names are compared by Unicode's rules, which needs UTF-8. */
async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  const encoding = rows[0]?.server_encoding ?? '';
  if (encoding !== 'UTF8') {
    throw new DatabaseSetupError(`The database's encoding is ${encoding}, and has to be UTF8: create it with that.`);
  }
}

async function requireTables(client: pg.Client, { isInstalled, restores }: PrepareOptions): Promise<void> {
  if (isInstalled && !(await hasTable(client, 'schema_migrations'))) {
    throw new DatabaseSetupError(
      'The database is empty, but DATA_DIR is of an installation that has been used: check DATABASE_URL, or restore a backup into a new folder and database.',
    );
  }
  if (!restores && (await hasTable(client, RESTORE_MARKER)))
    throw new DatabaseSetupError('A restore into this database did not finish: restore the backup into an empty one.');
}

const hasTable = async (client: pg.Client, name: string): Promise<boolean> =>
  (await client.query<{ known: boolean }>('select to_regclass($1) is not null as known', [name])).rows[0]?.known ??
  false;

/** This table exists in a database while a backup is restored into it. */
const RESTORE_MARKER = 'unfinished_restore';

/** Marks an empty database: no server starts with it before {@link endRestore}. */
export const beginRestore = (client: pg.Client): Promise<unknown> => client.query(`create table ${RESTORE_MARKER} ()`);

export const endRestore = (client: pg.Client): Promise<unknown> => client.query(`drop table ${RESTORE_MARKER}`);

/** An arbitrary number, the same for all instances, so that only one migrates at a time. */
const LOCK_KEY = 728_306_114;

/** Waits for another instance's migration. The lock is released when the database session ends. */
async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
}

/** Creates the partitions of the audit log for the current and the next months. */
async function createPartitions(client: pg.Client, now: Temporal.Instant): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regprocedure('create_audit_partitions(timestamptz, int)') is not null as known`,
  );
  if (rows[0]?.known) await client.query('select create_audit_partitions($1, $2)', [now.toString(), auditMonthsAhead]);
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Returns the repository's migrations. */
export const listMigrations = (): readonly { readonly name: string; readonly checksum: string }[] =>
  readMigrations(MIGRATIONS);

async function applyMigrations(client: pg.Client, options: PrepareOptions): Promise<string[]> {
  const { now, upTo } = options;
  const migrations = readMigrations(options.folder ?? MIGRATIONS);
  await client.query(`
    create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null
    )`);
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of rows) {
    const migration = known.get(name);
    if (!migration) {
      throw new DatabaseSetupError(`The database is newer than this Roomside: it has migration ${name}.`);
    }
    if (migration.checksum !== checksum) {
      throw new DatabaseSetupError(
        `Migration ${name} was changed after it had been applied: put it back, add a new one.`,
      );
    }
  }
  const last = rows.at(-1)?.name ?? '';
  const done = new Set(rows.map((row) => row.name));
  const pending = migrations.filter(({ name }) => !done.has(name) && (upTo === undefined || name <= upTo));
  const late = pending.find(({ name }) => name < last);
  if (late) throw new DatabaseSetupError(`Migration ${late.name} comes before ${last}, which is applied: renumber it.`);
  for (const migration of pending) await applyMigration(client, migration, now);
  return pending.map(({ name }) => name);
}

/** The first line of a migration that is one statement outside a transaction: an index that is built concurrently. */
const noTransaction = '-- no-transaction\n';

async function applyMigration(client: pg.Client, { name, sql, checksum }: Migration, now: Temporal.Instant) {
  const isTransaction = !sql.startsWith(noTransaction);
  try {
    if (isTransaction) await client.query('begin');
    else await dropInvalidIndexes(client);
    await client.query(sql);
    const row = [name, checksum, now.toString()];
    await client.query('insert into schema_migrations (name, checksum, applied_at) values ($1, $2, $3)', row);
    if (isTransaction) await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new DatabaseSetupError(`Migration ${name} failed: ${(error as Error).message}${lineOf(sql, error)}`, {
      cause: error,
    });
  }
}

/** A concurrent build that was interrupted leaves an index that is not used: it is built again. */
async function dropInvalidIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
}

/** Converts the position of a PostgreSQL error (characters from 1) into a line number. */
function lineOf(sql: string, error: unknown): string {
  const position = Number((error as { position?: string }).position);
  return position > 0 ? ` (line ${sql.slice(0, position).split('\n').length})` : '';
}

/**
 * Creates the functions again, all in one transaction, when one of their files or the schema has changed. Functions that
 * bypass the policies (`security definer`) belong to the definer's role, and only the application may call them.
 */
async function applyFunctions(client: pg.Client, { folder = MIGRATIONS, upTo }: PrepareOptions): Promise<void> {
  const migrations = readMigrations(folder);
  // They fit the latest schema only: a restored backup gets them with its last migration.
  if (upTo !== undefined && upTo !== migrations.at(-1)?.name) return;
  const functions = readFunctions(folder);
  const checksum = checksumOf([...functions, ...migrations].map(({ sql }) => sql).join('\n'));
  await client.query('create table if not exists schema_functions (checksum text not null)');
  const { rows } = await client.query<{ checksum: string }>('select checksum from schema_functions');
  if (rows[0]?.checksum === checksum) return;
  await client.query('begin');
  try {
    await client.query(dropFunctions);
    for (const { name, sql } of functions) {
      await client.query(sql).catch((error: unknown) => {
        const { message } = error as Error;
        throw new DatabaseSetupError(`functions/${name} failed: ${message}${lineOf(sql, error)}`, { cause: error });
      });
    }
    await client.query(grantFunctions);
    await client.query('delete from schema_functions');
    await client.query('insert into schema_functions values ($1)', [checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Drops the functions that were created from functions/; their comment marks them. In one statement, since they use each other. */
const dropFunctions = `do $$
  declare all_of_them text;
  begin
    select string_agg(p.oid::regprocedure::text, ', ') into all_of_them from pg_proc p
      join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
    where p.pronamespace = 'public'::regnamespace and d.description = 'functions/';
    if all_of_them is not null then execute 'drop function ' || all_of_them; end if;
  end $$`;

/** Marks the functions that this transaction has created, and hands those that are `security definer` to their role. */
const grantFunctions = `do $$
  declare f record;
  begin
    grant create on schema public to ${DEFINER_ROLE};
    for f in select p.oid::regprocedure as name, p.prosecdef from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.xmin = pg_current_xact_id()::xid loop
      execute format('comment on function %s is %L', f.name, 'functions/');
      if f.prosecdef then
        execute format('revoke execute on function %s from public', f.name);
        execute format('grant execute on function %s to ${APPLICATION_ROLE}', f.name);
        execute format('alter function %s owner to ${DEFINER_ROLE}', f.name);
      end if;
    end loop;
    revoke create on schema public from ${DEFINER_ROLE};
  end $$`;

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function readFunctions(folder: string): { readonly name: string; readonly sql: string }[] {
  const functions = path.join(folder, 'functions');
  if (!fs.existsSync(functions)) return [];
  return fs
    .readdirSync(functions)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: fs.readFileSync(path.join(functions, name), 'utf8').replaceAll('\r\n', '\n') }));
}

function readMigrations(folder: string): Migration[] {
  const names = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    if (!/^\d{3}-[a-z0-9-]+\.sql$/.test(name)) throw new DatabaseSetupError(`Migration ${name} is not NNN-name.sql.`);
    if (name.slice(0, 3) === names[index - 1]?.slice(0, 3)) {
      throw new DatabaseSetupError(`Migrations ${names[index - 1]} and ${name} have the same number.`);
    }
    const sql = fs.readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n');
    if (/^\s*(begin|start transaction|commit|rollback)\s*;/im.test(sql.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, ''))) {
      throw new DatabaseSetupError(`Migration ${name} must not begin or end transactions: it runs in one.`);
    }
    return { name, sql, checksum: checksumOf(sql) };
  });
}

/** Creates missing roles. Roles belong to the database server, so another database or an administrator may have them. */
async function ensureRoles(client: pg.Client, login: string | undefined): Promise<void> {
  const { rows } = await client.query<{ name: string; can_create: boolean; is_superuser: boolean }>(
    `select rolname as name, rolcreaterole or rolsuper as can_create, rolsuper as is_superuser
     from pg_roles where rolname = current_user`,
  );
  const [owner] = rows;
  const wanted = [
    { name: APPLICATION_ROLE, attributes: 'login nosuperuser nobypassrls nocreatedb nocreaterole' },
    { name: DEFINER_ROLE, attributes: 'nologin bypassrls nosuperuser nocreatedb nocreaterole' },
    { name: AUDITOR_ROLE, attributes: 'nologin nobypassrls nosuperuser nocreatedb nocreaterole' },
  ];
  for (const { name, attributes } of wanted) {
    const create = `create role ${name} ${attributes}`;
    if (await hasRole(client, name)) continue;
    if (!owner?.can_create) throw missingRight(create);
    try {
      await client.query(create);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === sqlStates.insufficientPrivilege) throw missingRight(create);
      if (code !== sqlStates.duplicateObject && code !== sqlStates.uniqueViolation) throw error;
    }
  }
  // Needed to give functions to the definer, and to switch to the application's role when it has no separate login.
  if (owner && !owner.is_superuser) {
    for (const name of [APPLICATION_ROLE, DEFINER_ROLE]) await grant(client, name, owner.name);
  }
  if (login !== undefined && login !== APPLICATION_ROLE) await grant(client, APPLICATION_ROLE, login);
}

async function hasRole(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
  return rowCount === 1;
}

async function grant(client: pg.Client, role: string, member: string): Promise<void> {
  if (!(await hasRole(client, member))) {
    throw new DatabaseSetupError(`The database has no role ${member}, which DATABASE_URL names.`);
  }
  const { rows } = await client.query<{ has: boolean }>(`select pg_has_role($1::name, $2::name, 'member') as has`, [
    member,
    role,
  ]);
  if (rows[0]?.has) return;
  const sql = `grant ${role} to ${client.escapeIdentifier(member)}`;
  try {
    await client.query(sql);
  } catch (error) {
    if ((error as { code?: string }).code === sqlStates.insufficientPrivilege) throw missingRight(sql);
    throw error;
  }
}

function missingRight(sql: string): DatabaseSetupError {
  return new DatabaseSetupError(`The owner's database role may not do this; let an administrator run: ${sql};`);
}

interface Role {
  readonly name: string;
  readonly isSuperuser: boolean;
  readonly bypassesRowSecurity: boolean;
}

/** Reads the role that a connection uses. */
async function inspectRole(connection: pg.ClientConfig): Promise<Role> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<Role>(
      `select rolname as name, rolsuper as "isSuperuser", rolbypassrls as "bypassesRowSecurity"
       from pg_roles where rolname = current_user`,
    );
    return rows[0] as Role;
  });
}

/** Runs work on a separate connection. */
export async function withClient<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  // Without a listener, a connection that breaks between two queries would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
