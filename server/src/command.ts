import fs from 'node:fs';
import path from 'node:path';
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
  /** SECRET_KEY, or the demo's own. */
  readonly secret: string;
}

/**
 * Runs an operator's command over the same database as the server, by the same settings, whether the server runs or not.
 * Ends the process: 0 when `work` answers true, 1 when false or when something is wrong, which is one sentence.
 */
export async function runCommand(work: (context: CommandContext) => Promise<boolean>): Promise<void> {
  const undo: (() => Promise<void> | void)[] = [];
  let isWell = false;
  try {
    const settings = readSettings(process.env);
    const secret = settings.SECRET_KEY ?? readDemoKey(settings.DATA_DIR);
    if (secret === null) throw new SettingsError('SECRET_KEY must be set as for the server.');
    const connection = await findDatabase(settings, undo);
    const db = openDatabase(connection, () => {});
    undo.push(() => db.close());
    isWell = await work({ settings, db, secret });
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
  }
  for (const step of undo.reverse()) await step();
  process.exitCode = isWell ? 0 : 1;
}

function readDemoKey(folder: string): string | null {
  return inspectDataFolder(folder) === 'demo' ? fs.readFileSync(path.join(folder, 'secret.key'), 'utf8').trim() : null;
}

async function findDatabase(settings: Settings, undo: (() => Promise<void> | void)[]) {
  const asPlainRole = `-c role=${APPLICATION_ROLE}`;
  if (settings.DATABASE_URL !== null) {
    const connectionString = settings.DATABASE_URL;
    return settings.DATABASE_OWNER_URL === null ? { connectionString, options: asPlainRole } : { connectionString };
  }
  const cluster = path.join(path.resolve(settings.DATA_DIR), 'postgres');
  if (!fs.existsSync(cluster))
    throw new SettingsError('There is no database yet: check DATA_DIR, or start the server.');
  const running = findRunningPostgres(cluster);
  if (running) return { ...running, user: APPLICATION_ROLE, database: 'postgres' };
  const folder: DataFolder = openDataFolder(settings.DATA_DIR, inspectDataFolder(settings.DATA_DIR) === 'demo');
  undo.push(() => folder.release());
  const postgres = await startPostgres({ dir: folder.postgres, durable: true });
  undo.push(() => postgres.stop());
  return { host: postgres.host, port: postgres.port, user: APPLICATION_ROLE, database: 'postgres' };
}

const UNDEFINED_TABLE = '42P01';

function sentenceOf(error: unknown): string {
  const { name, message, code, stack } = error as Error & { code?: string };
  if (code === UNDEFINED_TABLE) return 'The database is not up to date: start the server first.';
  if (name === 'SettingsError' || name === 'Error') return message;
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTFOUND'
    ? `The database cannot be reached: ${message}.`
    : (stack ?? message);
}
