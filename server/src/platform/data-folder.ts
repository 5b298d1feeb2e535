import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * What a data folder was made for. `new`: absent or empty; `demo`: marked by the first start of a demo; `real`:
 * anything else.
 */
export type DataFolderKind = 'new' | 'demo' | 'real';

/** The one folder that the server writes to; held by one process at a time. */
export interface DataFolder {
  readonly path: string;
  /** The built-in database's cluster; made by its first start. */
  readonly postgres: string;
  /** Uploaded files, photos and recordings. */
  readonly blobs: string;
  /** The demo's key; null where SECRET_KEY is given. */
  readonly demoKey: string | null;
  /** Lets another process have the folder. */
  release(): void;
}

const LOCK = 'lock';
const DEMO = 'demo';
const DEMO_KEY = 'secret.key';

/** Uploaded files, photos and recordings of a data folder. */
export const blobFolder = ({ DATA_DIR }: { readonly DATA_DIR: string }): string =>
  path.join(path.resolve(DATA_DIR), 'blobs');

/** Written once the built-in database has its tables: from then on a folder without a database has lost it. */
const INSTALLED = 'installed';

/** Notes that the built-in database of this folder is set up; a given one lies elsewhere. */
export function markInstalled(settings: { readonly DATA_DIR: string; readonly DATABASE_URL: string | null }): void {
  const file = path.join(path.resolve(settings.DATA_DIR), INSTALLED);
  const content = settings.DATABASE_URL === null ? 'The database is in postgres/.\n' : 'The database is elsewhere.\n';
  if (readIfThere(file) === null) fs.writeFileSync(file, content, { mode: 0o600, flush: true });
}

/**
 * Why the built-in database of this folder must not be started, as a sentence; null = it may. A new database in the place
 * of one that is gone (a volume that was not mounted) would look like an empty installation to everybody.
 */
export function databaseProblem(folder: string): string | null {
  const root = path.resolve(folder);
  const content = readIfThere(path.join(root, INSTALLED));
  if (content === null) return null;
  if (!content.includes('postgres/'))
    return `The database of DATA_DIR ${folder} is not in this folder: set DATABASE_URL, or choose another folder.`;
  if (fs.existsSync(path.join(root, 'postgres', 'PG_VERSION'))) return null;
  return `The database of DATA_DIR ${folder} is gone (its folder postgres is missing): mount it again, or restore a backup into a new folder.`;
}

/**
 * Moves what an older demo has left out of the way: everything in the folder but its lock. Returns the new place.
 */
export function setDemoAside(folder: string, now: Date): string {
  const root = path.resolve(folder);
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '')
    .replace('T', '-');
  const aside = `${root}-before-${stamp}`;
  fs.mkdirSync(aside, { mode: 0o700 });
  for (const name of fs.readdirSync(root)) {
    if (!name.startsWith(LOCK)) fs.renameSync(path.join(root, name), path.join(aside, name));
  }
  return aside;
}

/** Looks at a data folder without changing it. */
export function inspectDataFolder(folder: string): DataFolderKind {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'new';
    throw error;
  }
  if (names.includes(DEMO)) return 'demo';
  return names.every((name) => name.startsWith(LOCK)) ? 'new' : 'real';
}

/**
 * Makes the folder with its parts where they are missing, and locks it.
 *
 * @param demo marks a new folder for ever as a demo's and gives it a random key
 * @throws Error (one sentence) when another live process holds the folder
 */
export function openDataFolder(folder: string, demo: boolean): DataFolder {
  const root = path.resolve(folder);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  const release = lock(root);
  try {
    // The marker comes first: a start that is killed half-way must not leave a folder that looks like a real one.
    if (demo)
      fs.writeFileSync(path.join(root, DEMO), 'This folder belongs to a demo. It never becomes anything else.\n');
    const blobs = blobFolder({ DATA_DIR: root });
    fs.mkdirSync(blobs, { recursive: true, mode: 0o700 });
    const demoKey = demo ? readOrMakeKey(path.join(root, DEMO_KEY)) : null;
    return { path: root, postgres: path.join(root, 'postgres'), blobs, demoKey, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** 32 random bytes as 64 hexadecimal digits. */
function readOrMakeKey(file: string): string {
  if (!fs.existsSync(file)) {
    const unfinished = `${file}.${randomUUID()}`;
    fs.writeFileSync(unfinished, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    fs.renameSync(unfinished, file);
  }
  return fs.readFileSync(file, 'utf8').trim();
}

/** The lock names its holder by process id and start time: an id alone comes back after a crash, in containers at once. */
function lock(root: string): () => void {
  const file = path.join(root, LOCK);
  const mine = `${process.pid} ${startOf(process.pid)}\n`;
  const draft = `${file}.${randomUUID()}`;
  fs.writeFileSync(draft, mine);
  try {
    for (;;) {
      try {
        // A link appears with its whole content, or fails where one is.
        fs.linkSync(draft, file);
        return () => {
          if (readIfThere(file) === mine) fs.rmSync(file, { force: true });
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const theirs = readIfThere(file);
      if (theirs !== null) removeDeadLock(root, file, theirs);
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function removeDeadLock(root: string, file: string, content: string): void {
  const [pid = '', ...start] = content.trim().split(' ');
  const refused = new Error(
    `The data folder ${root} is in use by another Roomside (process ${pid}): stop that one first.`,
  );
  if (startOf(Number(pid)) === start.join(' ')) throw refused;
  // Two starts may see the same dead lock: only what was read may be thrown away.
  const dead = `${file}.${randomUUID()}`;
  try {
    fs.renameSync(file, dead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readIfThere(dead);
  try {
    if (moved !== content) {
      fs.linkSync(dead, file);
      throw refused;
    }
  } finally {
    fs.rmSync(dead, { force: true });
  }
}

function readIfThere(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** When a process began, in whatever form this system tells; null when there is none. */
function startOf(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    if (process.platform === 'linux') {
      // Field 22, in ticks since boot; the name in field 2 may hold spaces and brackets.
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      return `${ticks} ${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .replace(/\s+/g, ' ');
  } catch {
    return null;
  }
}
