import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.ts';

/** A running PostgreSQL; connect to database `postgres`. */
export interface EmbeddedPostgres {
  /** Folder of the unix socket. */
  readonly host: string;
  readonly port: number;
  /** Superuser, owner of everything. */
  readonly user: string;
  /** Ends when the server process ended; the text is the tail of its log. */
  readonly exited: Promise<string>;
  /** Fast shutdown: sessions are cut off, what is committed stays. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster; made when missing. */
  readonly dir: string;
  /** false only for tests: acknowledged data may be lost when the machine stops. */
  readonly durable: boolean;
  /** Further server settings as `name=value`. */
  readonly settings?: readonly string[];
  /** Another PostgreSQL than the one from npm. */
  readonly binaries?: Binaries;
}

const OWNER = 'roomside_owner';
const PORT = 5432;
const NOBODY = 65534;
const SOCKET_PREFIX = 'roomside-pg-';
/** Two starts in the same minute may meet; a folder without a listening server after that is a leftover. */
const SOCKET_FOLDER_GRACE_MS = 60_000;
/** How long a server that is still shutting down may take, and how long one may take to begin with it. */
const STOPPING_MS = 10_000;
const NOTICING_MS = 2_000;

/**
 * Runs a program and sends it SIGINT when standard input ends: then node has closed it, or died in whatever way. A
 * program in the background of `sh` ignores SIGINT until it sets its own handler, as initdb and postgres do.
 */
const WATCHDOG = `exec 3<&0
"$@" 3<&- </dev/null & child=$!
(read -r _ <&3; kill -INT "$child" 2>/dev/null) &
wait "$child"`;

/**
 * Starts PostgreSQL in a folder and waits until it accepts connections. It listens on a unix socket only, in a folder
 * that nobody but the own account can enter, hence trusts every role name. It ends with this process, even after
 * kill -9, and never gets the terminal's Ctrl+C by itself.
 *
 * @throws Error when the folder's server already runs, or when the programs fail (with the tail of their log)
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') throw new Error('There is no built-in database on Windows: set DATABASE_URL.');
  const dir = path.resolve(options.dir);
  await waitForOtherServer(dir);
  const account = chooseAccount();
  const parent = path.dirname(dir);
  fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
  // The other account must get through to its folder; what else lies there keeps its own modes.
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
    // An error's statement and detail quote values, which may be a patient's.
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
  if (!(await server.logged('ready to accept connections'))) {
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
      const late = setTimeout(() => server.kill('SIGQUIT'), STOPPING_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

/** A cluster is of another major version of PostgreSQL than the programs. */
export class MajorVersionError extends Error {
  override name = 'MajorVersionError';
}

/** PostgreSQL opens clusters of its own major version only. */
function requireSameMajor(dir: string, binaries: Binaries): void {
  const file = path.join(dir, 'PG_VERSION');
  if (!fs.existsSync(file)) return;
  const was = fs.readFileSync(file, 'utf8').trim();
  const answer = spawnSync(path.join(binaries.bin, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const is = /\(PostgreSQL\) (\d+)/.exec(answer)?.[1];
  if (is === undefined || is === was) return;
  throw new MajorVersionError(
    `The database in ${dir} was made by PostgreSQL ${was}, and this Roomside brings PostgreSQL ${is}: make a backup with the Roomside that you had before (npm run backup), then restore it with this one into a new DATA_DIR (npm run restore).`,
  );
}

/** initdb works in a folder of its own, so that a half-made cluster is never taken for a whole one. */
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
  /** Put before a command line. */
  readonly prefix: readonly string[];
  /** Set where files must belong to another account than ours. */
  readonly uid?: number;
}

/** PostgreSQL refuses to run as root: then a user namespace makes us somebody else, or we drop to nobody. */
function chooseAccount(): Account {
  // A second string to the watchdog's bow: the server also ends when the watchdog itself is killed.
  const works = (command: string, args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  const deathSignal = ['--pdeathsig', 'INT', '--'];
  const hasDeathSignal = process.platform === 'linux' && works('setpriv', [...deathSignal, 'true']);
  const prefix = hasDeathSignal ? ['setpriv', ...deathSignal] : [];
  if (process.getuid?.() !== 0) return { prefix };
  const namespace = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (works('unshare', [...namespace, 'true'])) return { prefix: ['unshare', ...namespace, ...prefix] };
  const drop = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  if (works('setpriv', [...drop, '--', 'true'])) return { prefix: ['setpriv', ...drop, ...deathSignal], uid: NOBODY };
  throw new Error('PostgreSQL refuses to run as root: start Roomside as an ordinary user.');
}

interface Launched {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; log: string }>;
  /** true when the words appeared in the log, false when the program ended before. */
  logged(words: string): Promise<boolean>;
  kill(signal: NodeJS.Signals): void;
}

function launch(account: Account, program: string, args: readonly string[]): Launched {
  const child = spawn('sh', ['-c', WATCHDOG, 'sh', ...account.prefix, program, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // A process group of its own: Ctrl+C and a killed npm reach the server only through us.
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
  // The pipe breaks when the program ends first; its exit tells.
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
    logged: (words) =>
      new Promise((resolve) => {
        const listener = () => {
          if (!log.includes(words)) return;
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
        // It ended meanwhile.
      }
    },
  };
}

/**
 * A server whose node was killed needs a moment to notice and to shut down: it is waited for. One that goes on running
 * belongs to somebody else.
 */
async function waitForOtherServer(dir: string): Promise<void> {
  const begin = performance.now();
  for (;;) {
    const holder = readHolder(dir);
    if (!holder) return;
    const waited = performance.now() - begin;
    if (waited > (holder.stopping ? STOPPING_MS : NOTICING_MS)) throw alreadyRunning(dir, holder.pid);
    await sleep(20);
  }
}

function alreadyRunning(dir: string, pid: number | undefined): Error {
  const which = pid === undefined ? '' : ` (process ${pid})`;
  return new Error(`The database in ${dir} is already running${which}: stop the other Roomside first.`);
}

/** Where the live server of a folder is reached by another process of the same account; null when none runs. */
export function findRunningPostgres(dir: string): { host: string; port: number; user: string } | null {
  const holder = readHolder(path.resolve(dir));
  return holder && holder.socketFolder !== '' ? { host: holder.socketFolder, port: PORT, user: OWNER } : null;
}

/** The live server of a folder. postmaster.pid: process id in line 1, socket's folder in line 5, state in line 8. */
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
  // Process ids come back, in containers at once; PostgreSQL would take the stranger for itself and refuse to start.
  fs.rmSync(file, { force: true });
  return null;
}

/** Linux only; elsewhere a live process with that id is believed. */
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

/** A unix socket's path ends at 107 bytes (103 on macOS), so a long TMPDIR is of no use. */
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
      if (Date.now() - fs.statSync(folder).mtimeMs < SOCKET_FOLDER_GRACE_MS) continue;
      if (!(await listens(path.join(folder, `.s.PGSQL.${PORT}`)))) fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another account's, or just removed.
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
