import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.ts';

/** A running PostgreSQL. Connect to the database `postgres`. */
export interface EmbeddedPostgres {
  /** Folder of the unix socket. */
  readonly host: string;
  readonly port: number;
  /** Superuser, owner of everything. */
  readonly user: string;
  /** Resolves with the end of its log when the server process has ended. */
  readonly exited: Promise<string>;
  /** Fast shutdown: disconnects sessions and rolls back their transactions. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster; created when missing. */
  readonly dir: string;
  /** false only for tests: committed data may be lost when the machine stops. */
  readonly durable: boolean;
  /** Further server settings as `name=value`. */
  readonly settings?: readonly string[];
  /** Default: the PostgreSQL from npm. */
  readonly binaries?: Binaries;
}

const OWNER = 'roomside_owner';
const PORT = 5432;
/** The user and group id of the unprivileged account on Linux. */
const UNPRIVILEGED_ID = 65534;
const SOCKET_PREFIX = 'roomside-pg-';
/** A younger socket folder may belong to a server that is starting. An older one without a listener is left over. */
const SOCKET_FOLDER_MIN_AGE_MS = 60_000;
/** How long a server may take to shut down, and to begin the shutdown after its parent has ended. */
const STOP_TIMEOUT_MS = 10_000;
const STOP_BEGIN_TIMEOUT_MS = 2_000;

/**
 * Runs a program and sends it SIGINT when standard input ends, which is when node closes it or dies. A background program
 * of `sh` ignores SIGINT until it sets its own handler, as initdb and postgres do.
 */
const WATCHDOG = `exec 3<&0
"$@" 3<&- </dev/null & child=$!
(read -r _ <&3; kill -INT "$child" 2>/dev/null) &
wait "$child"`;

/**
 * Starts PostgreSQL in a folder and waits until it accepts connections. It listens on a unix socket only, in a folder that
 * only this account can access, and therefore trusts every role name. It ends with this process, even after kill -9, and
 * does not receive the terminal's Ctrl+C.
 *
 * @throws Error when a server runs in the folder, or when the programs fail (with the end of their log)
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') throw new Error('There is no built-in database on Windows: set DATABASE_URL.');
  const dir = path.resolve(options.dir);
  await waitForOtherServer(dir);
  const account = chooseAccount();
  const parent = path.dirname(dir);
  fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
  // The other account must be able to traverse the parent folder. Other files keep their modes.
  if (account.uid !== undefined) fs.chmodSync(parent, fs.statSync(parent).mode | 0o001);
  const binaries = options.binaries ?? findBinaries(dir, account.uid !== undefined);
  requireSameMajor(dir, binaries);
  if (!fs.existsSync(path.join(dir, 'PG_VERSION'))) await initialise(dir, binaries, account, options.durable);

  await removeLeftOverSocketFolders();
  const host = createSocketFolder();
  if (account.uid !== undefined) fs.chownSync(host, account.uid, account.uid);
  const settings = [
    'listen_addresses=',
    'timezone=UTC',
    'max_connections=100',
    // The statement and detail of an error contain values, which may be patient data.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    ...(options.durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
    ...(options.settings ?? []),
  ];
  const args = ['-D', dir, '-k', host, '-p', String(PORT), ...settings.flatMap((setting) => ['-c', setting])];
  const server = launch(account, path.join(binaries.bin, 'postgres'), args);
  const exited = server.exited.then((result) => {
    fs.rmSync(host, { recursive: true, force: true });
    return result.log;
  });
  if (!(await server.waitForLog('ready to accept connections'))) {
    const log = await exited;
    if (log.includes('lock file "postmaster.pid" already exists')) throw alreadyRunning(dir, readHolder(dir)?.pid);
    throw new Error(`PostgreSQL did not start in ${dir}:\n${log}`);
  }
  return {
    host,
    port: PORT,
    user: OWNER,
    exited,
    stop: async () => {
      server.child.stdin?.end();
      const late = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

/** The cluster was created by another major version of PostgreSQL. */
export class MajorVersionError extends Error {
  override name = 'MajorVersionError';
}

/** PostgreSQL opens clusters of the same major version only. */
function requireSameMajor(dir: string, binaries: Binaries): void {
  const file = path.join(dir, 'PG_VERSION');
  if (!fs.existsSync(file)) return;
  const clusterMajor = fs.readFileSync(file, 'utf8').trim();
  const output = spawnSync(path.join(binaries.bin, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const programMajor = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  if (programMajor === undefined || programMajor === clusterMajor) return;
  throw new MajorVersionError(
    `The database in ${dir} was made by PostgreSQL ${clusterMajor}, and this Roomside brings PostgreSQL ${programMajor}: make a backup with the Roomside that you had before (npm run backup), then restore it with this one into a new DATA_DIR (npm run restore).`,
  );
}

/** Runs initdb in a temporary folder and renames it, so that an unfinished cluster is not used. */
async function initialise(dir: string, binaries: Binaries, account: Account, durable: boolean): Promise<void> {
  const unfinished = `${dir}.new`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.mkdirSync(unfinished, { mode: 0o700 });
  if (account.uid !== undefined) fs.chownSync(unfinished, account.uid, account.uid);
  const locale = binaries.builtinLocale
    ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    : ['--locale=C'];
  const args = ['-D', unfinished, '-U', OWNER, '--auth=trust', '-E', 'UTF8', ...locale, ...(durable ? [] : ['-N'])];
  const { code, log } = await launch(account, path.join(binaries.bin, 'initdb'), args).exited;
  if (code !== 0) throw new Error(`PostgreSQL could not make a database in ${dir}:\n${log}`);
  fs.renameSync(unfinished, dir);
}

interface Account {
  /** Precedes the command line. */
  readonly prefix: readonly string[];
  /** Set when files must belong to another account. */
  readonly uid?: number;
}

/** PostgreSQL refuses to run as root. Root uses a user namespace, or else switches to the unprivileged account. */
function chooseAccount(): Account {
  // Ends the server when the watchdog itself is killed.
  const works = (command: string, args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  const deathSignal = ['--pdeathsig', 'INT', '--'];
  const hasDeathSignal = process.platform === 'linux' && works('setpriv', [...deathSignal, 'true']);
  const prefix = hasDeathSignal ? ['setpriv', ...deathSignal] : [];
  if (process.getuid?.() !== 0) return { prefix };
  const namespace = ['--user', `--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`, '--'];
  if (works('unshare', [...namespace, 'true'])) return { prefix: ['unshare', ...namespace, ...prefix] };
  const drop = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups'];
  if (works('setpriv', [...drop, '--', 'true']))
    return { prefix: ['setpriv', ...drop, ...deathSignal], uid: UNPRIVILEGED_ID };
  throw new Error('PostgreSQL refuses to run as root: start Roomside as an ordinary user.');
}

interface LaunchedProgram {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; log: string }>;
  /** Resolves to true when the text appears in the log, to false when the program ends before. */
  waitForLog(text: string): Promise<boolean>;
  kill(signal: NodeJS.Signals): void;
}

function launch(account: Account, program: string, args: readonly string[]): LaunchedProgram {
  const child = spawn('sh', ['-c', WATCHDOG, 'sh', ...account.prefix, program, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // A separate process group, so that Ctrl+C and a killed npm do not reach the server directly.
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
  });
  let log = '';
  const listeners = new Set<() => void>();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
    for (const listener of listeners) listener();
  });
  // The pipe breaks when the program ends first, which `exited` reports.
  child.stdin?.on('error', () => {});
  const exited = new Promise<{ code: number | null; log: string }>((resolve) => {
    child.once('error', (error) => resolve({ code: null, log: error.message }));
    child.once('exit', (code) => {
      child.stdin?.destroy();
      resolve({ code, log });
    });
  });
  return {
    child,
    exited,
    waitForLog: (text) =>
      new Promise((resolve) => {
        const listener = () => {
          if (!log.includes(text)) return;
          listeners.delete(listener);
          resolve(true);
        };
        listeners.add(listener);
        listener();
        void exited.then(() => resolve(false));
      }),
    kill: (signal) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    },
  };
}

/**
 * Waits until a server whose node was killed has shut down.
 *
 * @throws Error when the server keeps running, because another process uses it
 */
async function waitForOtherServer(dir: string): Promise<void> {
  const begin = performance.now();
  for (;;) {
    const holder = readHolder(dir);
    if (!holder) return;
    const waited = performance.now() - begin;
    if (waited > (holder.stopping ? STOP_TIMEOUT_MS : STOP_BEGIN_TIMEOUT_MS)) throw alreadyRunning(dir, holder.pid);
    await sleep(20);
  }
}

function alreadyRunning(dir: string, pid: number | undefined): Error {
  const which = pid === undefined ? '' : ` (process ${pid})`;
  return new Error(`The database in ${dir} is already running${which}: stop the other Roomside first.`);
}

/** Returns the connection to the running server of a folder, for another process of the same account; null when none runs. */
export function findRunningPostgres(dir: string): { host: string; port: number; user: string } | null {
  const holder = readHolder(path.resolve(dir));
  return holder && holder.socketFolder !== '' ? { host: holder.socketFolder, port: PORT, user: OWNER } : null;
}

/** Reads the running server of a folder from postmaster.pid: process id in line 1, socket folder in 5, state in 8. */
function readHolder(dir: string): { pid: number; socketFolder: string; stopping: boolean } | null {
  const file = path.join(dir, 'postmaster.pid');
  let lines: string[];
  try {
    lines = fs.readFileSync(file, 'utf8').split('\n');
  } catch {
    return null;
  }
  const pid = Number(lines[0]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null;
  }
  if (isPostgresOf(dir, pid))
    return { pid, socketFolder: lines[4]?.trim() ?? '', stopping: lines[7]?.trim() === 'stopping' };
  // Process ids are used again, in containers immediately. PostgreSQL would refuse to start because of the other process.
  fs.rmSync(file, { force: true });
  return null;
}

/** Returns whether the process is the folder's PostgreSQL. Checked on Linux only; elsewhere true. */
function isPostgresOf(dir: string, pid: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    if (fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres') return false;
  } catch {
    return false;
  }
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(dir);
  } catch {
    return true;
  }
}

/** The path of a unix socket has at most 107 bytes (103 on macOS), so a long TMPDIR is not used. */
function createSocketFolder(): string {
  return fs.mkdtempSync(path.join(socketParent(), SOCKET_PREFIX));
}

function socketParent(): string {
  return os.tmpdir().length > 70 ? '/tmp' : os.tmpdir();
}

async function removeLeftOverSocketFolders(): Promise<void> {
  for (const name of fs.readdirSync(socketParent())) {
    if (!name.startsWith(SOCKET_PREFIX)) continue;
    const folder = path.join(socketParent(), name);
    try {
      if (Date.now() - fs.statSync(folder).mtimeMs < SOCKET_FOLDER_MIN_AGE_MS) continue;
      if (!(await listens(path.join(folder, `.s.PGSQL.${PORT}`)))) fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // It belongs to another account, or was just removed.
    }
  }
}

function listens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}
