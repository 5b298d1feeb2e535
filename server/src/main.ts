import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { pino } from 'pino';

if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');

const { buildApp } = await import('./app.ts');
const { createFirstSuper } = await import('./features/auth/first-super.ts');
const { anchorFile } = await import('./platform/audit-anchors.ts');
const { systemClock } = await import('./platform/clock.ts');
const { databaseProblem, inspectDataFolder, isInstalled, markInstalled, openDataFolder, moveDemoAside } = await import(
  './platform/data-folder.ts'
);
const { limitHeapGrowth } = await import('./platform/heap.ts');
const { prepareDatabase } = await import('./platform/database/migrate.ts');
const { prepareJobs } = await import('./platform/jobs.ts');
const { npmAncestors, watchProcesses } = await import('./platform/parent.ts');
const { startPostgres } = await import('./platform/postgres/embedded.ts');
const { chooseStartMode, readSettings } = await import('./platform/settings.ts');

const webFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Run at the end, last added first. */
const cleanups: (() => Promise<void> | void)[] = [];

/** Timeout of the shutdown, ms; DRAIN_SECONDS is added. */
let shutdownTimeoutMs = 12_000;
let shutdown: Promise<void> | undefined;
function shutDown(code: number): Promise<void> {
  shutdown ??= (async () => {
    // Ends the process even if a step hangs. Committed data are safe.
    setTimeout(() => process.exit(code), shutdownTimeoutMs).unref();
    for (const step of cleanups.reverse()) {
      try {
        await step();
      } catch (error) {
        process.stderr.write(`${(error as Error).message}\n`);
      }
    }
    process.exit(code);
  })();
  return shutdown;
}

async function main(): Promise<void> {
  limitHeapGrowth();
  const settings = readSettings(process.env);
  shutdownTimeoutMs += settings.DRAIN_SECONDS * 1000;
  const mode = chooseStartMode(settings, inspectDataFolder(settings.DATA_DIR));
  const demo = mode === 'demo';
  const problem = settings.DATABASE_URL === null ? databaseProblem(settings.DATA_DIR) : null;
  if (problem !== null) throw new Error(problem);
  let folder = openDataFolder(settings.DATA_DIR, demo);
  cleanups.push(() => folder.release());
  const log = pino({ level: settings.LOG_LEVEL === 'info' && demo ? 'warn' : settings.LOG_LEVEL });

  const prepare = async () => {
    const { stop, ...database } = await openCluster(settings, folder.postgres);
    const now = Temporal.Now.instant();
    try {
      return {
        database,
        prepared: await prepareDatabase({ ...database, now, isInstalled: isInstalled(settings.DATA_DIR) }),
      };
    } catch (error) {
      await stop?.();
      throw error;
    }
  };
  const { database, prepared } = await prepare().catch((error: Error) => {
    // A demo of another version is moved aside and created again. Real data are not touched.
    if (!demo || (error.name !== 'DatabaseSetupError' && error.name !== 'MajorVersionError')) throw error;
    const newPlace = moveDemoAside(settings.DATA_DIR, new Date());
    process.stdout.write(
      `The demo in ${settings.DATA_DIR} was made by another version. It was moved to ${newPlace}; a new one begins.\n`,
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
  cleanups.push(() => app.close());
  const demonstration = demo ? await import('./demo/demo.ts') : null;
  await (demonstration ? demonstration.fillDemo(app.context) : createFirstSuper(app.context));
  // What the start has used and nothing needs any more, a quarter of its memory. Only with --expose-gc, as in production.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const port = await app.listen(settings.HOST, settings.PORT);
  if (demonstration) demonstration.announceDemo(`http://localhost:${port}`);
  else process.stdout.write(`Roomside listens on ${settings.HOST}:${port}; people reach it at ${publicUrl}\n`);
}

/** Connects to the database of DATABASE_URL, or starts the built-in one. */
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
  cleanups.push(stop);
  void postgres.exited.then(() => {
    if (shutdown || isStopping) return;
    process.stderr.write('The built-in database has stopped.\n');
    void shutDown(1);
  });
  const owner = { host: postgres.host, port: postgres.port, user: postgres.user, database: 'postgres' };
  return { owner, application: { ...owner, user: 'app_user' }, stop };
}

/** Errors whose message is one sentence for the user. */
const errorsWithSentence = new Set(['Error', 'SettingsError', 'DatabaseSetupError', 'MajorVersionError']);

/** Returns one sentence for an expected failure, otherwise the stack. */
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
  return errorsWithSentence.has(name) ? message : (stack ?? message);
}

process.on('SIGINT', () => void shutDown(0));
process.on('SIGTERM', () => void shutDown(0));
process.on('SIGHUP', () => void shutDown(0));
watchProcesses(npmAncestors(process.env), () => void shutDown(0));

try {
  await main();
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  await shutDown(1);
}
