import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { pino } from 'pino';

if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');

const { buildApp } = await import('./app.ts');
const { announceDemo, fillDemo } = await import('./demo/demo.ts');
const { createFirstSuper: makeFirstSuper } = await import('./features/auth/first-super.ts');
const { anchorFile } = await import('./platform/audit-anchors.ts');
const { systemClock } = await import('./platform/clock.ts');
const { databaseProblem, inspectDataFolder, markInstalled, openDataFolder, setDemoAside } = await import(
  './platform/data-folder.ts'
);
const { prepareDatabase } = await import('./platform/database/migrate.ts');
const { prepareJobs } = await import('./platform/jobs.ts');
const { npmAncestors, whenGone } = await import('./platform/parent.ts');
const { startPostgres } = await import('./platform/postgres/embedded.ts');
const { chooseStartMode, readSettings } = await import('./platform/settings.ts');

const webFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** What is undone at the end, last made first. */
const undo: (() => Promise<void> | void)[] = [];

/** How long an end may take, ms; as long as connections are told to leave comes on top. */
let endMs = 12_000;
let ending: Promise<void> | undefined;
function end(code: number): Promise<void> {
  ending ??= (async () => {
    // Whatever hangs must not keep the process: nothing acknowledged depends on what comes after this.
    setTimeout(() => process.exit(code), endMs).unref();
    for (const step of undo.reverse()) {
      try {
        await step();
      } catch (error) {
        process.stderr.write(`${(error as Error).message}\n`);
      }
    }
    process.exit(code);
  })();
  return ending;
}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  endMs += settings.DRAIN_SECONDS * 1000;
  const mode = chooseStartMode(settings, inspectDataFolder(settings.DATA_DIR));
  const demo = mode === 'demo';
  const problem = settings.DATABASE_URL === null ? databaseProblem(settings.DATA_DIR) : null;
  if (problem !== null) throw new Error(problem);
  let folder = openDataFolder(settings.DATA_DIR, demo);
  undo.push(() => folder.release());
  const log = pino({ level: settings.LOG_LEVEL === 'info' && demo ? 'warn' : settings.LOG_LEVEL });

  const prepare = async () => {
    const { stop, ...database } = await openCluster(settings, folder.postgres);
    try {
      return { database, prepared: await prepareDatabase({ ...database, now: Temporal.Now.instant() }) };
    } catch (error) {
      await stop?.();
      throw error;
    }
  };
  const { database, prepared } = await prepare().catch((error: Error) => {
    // A demo's data are made up: those of another version make room for new ones. Anything else stays untouched.
    if (!demo || (error.name !== 'DatabaseSetupError' && error.name !== 'MajorVersionError')) throw error;
    const aside = setDemoAside(settings.DATA_DIR, new Date());
    process.stdout.write(
      `The demo in ${settings.DATA_DIR} was made by another version. It was moved to ${aside}; a new one begins.\n`,
    );
    folder.release();
    folder = openDataFolder(settings.DATA_DIR, demo);
    return prepare();
  });
  await prepareJobs(database.owner);
  markInstalled(settings);

  const publicUrl = settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`;
  const secret = settings.SECRET_KEY ?? folder.demoKey ?? '';
  const app = await buildApp({
    settings,
    publicUrl,
    demo,
    secret,
    database: prepared.application,
    webFolder,
    anchorFile: anchorFile(settings),
    clock: systemClock,
    log,
  });
  undo.push(() => app.close());
  if (demo) await fillDemo(app.context);
  else await makeFirstSuper(app.context);
  const port = await app.listen(settings.HOST, settings.PORT);
  if (demo) announceDemo(`http://localhost:${port}`);
  else process.stdout.write(`Roomside listens on ${settings.HOST}:${port}; people reach it at ${publicUrl}\n`);
}

/** The built-in database, or the one that DATABASE_URL names. */
async function openCluster(
  settings: ReturnType<typeof readSettings>,
  dir: string,
): Promise<{ owner: pg.ClientConfig; application?: pg.ClientConfig; stop?: () => Promise<void> }> {
  if (settings.DATABASE_URL !== null) {
    const application = { connectionString: settings.DATABASE_URL };
    return settings.DATABASE_OWNER_URL === null
      ? { owner: application }
      : { owner: { connectionString: settings.DATABASE_OWNER_URL }, application };
  }
  const postgres = await startPostgres({ dir, durable: true });
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    return postgres.stop();
  };
  undo.push(stop);
  void postgres.exited.then(() => {
    if (ending || isStopping) return;
    process.stderr.write('The built-in database has stopped.\n');
    void end(1);
  });
  const owner = { host: postgres.host, port: postgres.port, user: postgres.user, database: 'postgres' };
  return { owner, application: { ...owner, user: 'app_user' }, stop };
}

/** Errors whose message is a sentence for that person. */
const plain = new Set(['Error', 'SettingsError', 'DatabaseSetupError', 'MajorVersionError']);

/** Expected failures are one sentence for the person who starts the server. */
function sentenceOf(error: unknown): string {
  const { name, message, code, port, stack } = error as Error & { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is taken: stop what uses it, or set PORT to another one.`;
  if (code === 'EACCES' && port) return `Port ${port} may not be used by this account: set PORT to one above 1023.`;
  if (
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    code === 'ETIMEDOUT' ||
    code === 'ENOENT' ||
    code === '28P01' ||
    code === '3D000'
  ) {
    return `The database or a file cannot be reached: ${message}. Check DATABASE_URL and DATA_DIR.`;
  }
  return plain.has(name) ? message : (stack ?? message);
}

process.on('SIGINT', () => void end(0));
process.on('SIGTERM', () => void end(0));
process.on('SIGHUP', () => void end(0));
whenGone(npmAncestors(process.env), () => void end(0));

try {
  await main();
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  await end(1);
}
