import fs from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import type { DataFolder } from './platform/data-folder.ts';
import { inspectDataFolder, openDataFolder } from './platform/data-folder.ts';
import { type Database, openDatabase } from './platform/database/database.ts';
import { APPLICATION_ROLE } from './platform/database/migrate.ts';
import { sqlStates } from './platform/database/sql-states.ts';
import { findRunningPostgres, startPostgres } from './platform/postgres/embedded.ts';
import { readSettings, type Settings, SettingsError } from './platform/settings.ts';

/** What an operator's command needs. */
export interface CommandContext {
  readonly settings: Settings;
  /** Connected as the application's role. */
  readonly db: Database;
  /** Connects as the role that owns the tables. */
  readonly owner: pg.ClientConfig;
  /** The server's connection, when it has a separate role. */
  readonly application?: pg.ClientConfig;
  /** SECRET_KEY, or the demo's key. */
  readonly secret: string;
}

/**
 * Runs an operator's command over the server's database, by the same settings. The server may run. With `createsDatabase` it
 * creates the built-in database in a new data folder. Sets the exit code to 0 when `work` returns true, otherwise to 1. An
 * error is printed as one sentence.
 */
export async function runCommand(
  work: (context: CommandContext) => Promise<boolean>,
  { createsDatabase = false }: { readonly createsDatabase?: boolean } = {},
): Promise<void> {
  const cleanups: (() => Promise<void> | void)[] = [];
  let isSuccess = false;
  try {
    const settings = readSettings(process.env);
    const secret = settings.SECRET_KEY ?? readDemoKey(settings.DATA_DIR);
    if (secret === null) throw new SettingsError('SECRET_KEY must be set as for the server.');
    const { plain, ...connections } = await findDatabase(settings, cleanups, createsDatabase);
    const db = openDatabase(plain, () => {});
    cleanups.push(() => db.close());
    isSuccess = await work({ settings, db, secret, ...connections });
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
  }
  for (const step of cleanups.reverse()) await step();
  process.exitCode = isSuccess ? 0 : 1;
}

function readDemoKey(folder: string): string | null {
  return inspectDataFolder(folder) === 'demo' ? fs.readFileSync(path.join(folder, 'secret.key'), 'utf8').trim() : null;
}

interface Connections extends Pick<CommandContext, 'owner' | 'application'> {
  readonly plain: pg.ClientConfig;
}

async function findDatabase(
  settings: Settings,
  cleanups: (() => Promise<void> | void)[],
  createsDatabase: boolean,
): Promise<Connections> {
  if (settings.DATABASE_URL !== null) {
    const application = { connectionString: settings.DATABASE_URL };
    if (settings.DATABASE_OWNER_URL !== null)
      return { plain: application, application, owner: { connectionString: settings.DATABASE_OWNER_URL } };
    return { plain: { ...application, options: `-c role=${APPLICATION_ROLE}` }, owner: application };
  }
  const cluster = path.join(path.resolve(settings.DATA_DIR), 'postgres');
  if (createsDatabase && inspectDataFolder(settings.DATA_DIR) !== 'new')
    throw new SettingsError(`DATA_DIR ${settings.DATA_DIR} is not empty: choose a new folder.`);
  if (!createsDatabase && !fs.existsSync(cluster))
    throw new SettingsError('There is no database yet: check DATA_DIR, or start the server.');
  const running = findRunningPostgres(cluster);
  if (running) return builtIn(running);
  const folder: DataFolder = openDataFolder(settings.DATA_DIR, inspectDataFolder(settings.DATA_DIR) === 'demo');
  cleanups.push(() => folder.release());
  const postgres = await startPostgres({ dir: folder.postgres, durable: true });
  cleanups.push(() => postgres.stop());
  return builtIn(postgres);
}

function builtIn({ host, port, user }: { host: string; port: number; user: string }): Connections {
  const owner = { host, port, user, database: 'postgres' };
  const application = { ...owner, user: APPLICATION_ROLE };
  return { owner, application, plain: application };
}

function sentenceOf(error: unknown): string {
  const { name, message, code, syscall, stack } = error as Error & { code?: string; syscall?: string };
  if (code === sqlStates.undefinedTable) return 'The database is not up to date: start the server first.';
  if (
    name === 'SettingsError' ||
    name === 'BackupError' ||
    name === 'DatabaseSetupError' ||
    name === 'Refusal' ||
    name === 'Error'
  )
    return message;
  // A socket that is not there is also ENOENT, as a file is.
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || (code === 'ENOENT' && syscall === 'connect')
    ? `The database cannot be reached: ${message}.`
    : (stack ?? message);
}
