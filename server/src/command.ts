import fs from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import type { DataFolder } from './platform/data-folder.ts';
import { inspectDataFolder, openDataFolder } from './platform/data-folder.ts';
import { type Database, openDatabase } from './platform/database/database.ts';
import { APPLICATION_ROLE } from './platform/database/migrate.ts';
import { findRunningPostgres, startPostgres } from './platform/postgres/embedded.ts';
import { readSettings, type Settings, SettingsError } from './platform/settings.ts';

/** What a command of the operator works with. */
export interface CommandContext {
  readonly settings: Settings;
  /** As the application's plain role. */
  readonly db: Database;
  /** Connects as the role that owns the tables. */
  readonly owner: pg.ClientConfig;
  /** How the server connects, where it has a separate role. */
  readonly application?: pg.ClientConfig;
  /** SECRET_KEY, or the demo's own. */
  readonly secret: string;
}

/**
 * Runs an operator's command over the same database as the server, by the same settings, whether the server runs or not.
 * With `makesDatabase` the built-in database is made, in a data folder that must be new. Ends the process: 0 when `work`
 * returns true, 1 when false or when something is wrong, which is one sentence.
 */
export async function runCommand(
  work: (context: CommandContext) => Promise<boolean>,
  { makesDatabase = false }: { readonly makesDatabase?: boolean } = {},
): Promise<void> {
  const undo: (() => Promise<void> | void)[] = [];
  let isWell = false;
  try {
    const settings = readSettings(process.env);
    const secret = settings.SECRET_KEY ?? readDemoKey(settings.DATA_DIR);
    if (secret === null) throw new SettingsError('SECRET_KEY must be set as for the server.');
    const { plain, ...connections } = await findDatabase(settings, undo, makesDatabase);
    const db = openDatabase(plain, () => {});
    undo.push(() => db.close());
    isWell = await work({ settings, db, secret, ...connections });
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
  }
  for (const step of undo.reverse()) await step();
  process.exitCode = isWell ? 0 : 1;
}

function readDemoKey(folder: string): string | null {
  return inspectDataFolder(folder) === 'demo' ? fs.readFileSync(path.join(folder, 'secret.key'), 'utf8').trim() : null;
}

interface Connections extends Pick<CommandContext, 'owner' | 'application'> {
  readonly plain: pg.ClientConfig;
}

async function findDatabase(
  settings: Settings,
  undo: (() => Promise<void> | void)[],
  makesDatabase: boolean,
): Promise<Connections> {
  if (settings.DATABASE_URL !== null) {
    const application = { connectionString: settings.DATABASE_URL };
    if (settings.DATABASE_OWNER_URL !== null)
      return { plain: application, application, owner: { connectionString: settings.DATABASE_OWNER_URL } };
    return { plain: { ...application, options: `-c role=${APPLICATION_ROLE}` }, owner: application };
  }
  const cluster = path.join(path.resolve(settings.DATA_DIR), 'postgres');
  if (makesDatabase && inspectDataFolder(settings.DATA_DIR) !== 'new')
    throw new SettingsError(`DATA_DIR ${settings.DATA_DIR} is not empty: choose a new folder.`);
  if (!makesDatabase && !fs.existsSync(cluster))
    throw new SettingsError('There is no database yet: check DATA_DIR, or start the server.');
  const running = findRunningPostgres(cluster);
  if (running) return builtIn(running);
  const folder: DataFolder = openDataFolder(settings.DATA_DIR, inspectDataFolder(settings.DATA_DIR) === 'demo');
  undo.push(() => folder.release());
  const postgres = await startPostgres({ dir: folder.postgres, durable: true });
  undo.push(() => postgres.stop());
  return builtIn(postgres);
}

function builtIn({ host, port, user }: { host: string; port: number; user: string }): Connections {
  const owner = { host, port, user, database: 'postgres' };
  const application = { ...owner, user: APPLICATION_ROLE };
  return { owner, application, plain: application };
}

const UNDEFINED_TABLE = '42P01';

function sentenceOf(error: unknown): string {
  const { name, message, code, stack } = error as Error & { code?: string };
  if (code === UNDEFINED_TABLE) return 'The database is not up to date: start the server first.';
  if (name === 'SettingsError' || name === 'BackupError' || name === 'DatabaseSetupError' || name === 'Error')
    return message;
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTFOUND'
    ? `The database cannot be reached: ${message}.`
    : (stack ?? message);
}
