import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** `new`: absent or empty; `demo`: marked by the first start of a demo; `real`: anything else. */
export type DataFolderKind = 'new' | 'demo' | 'real';

/** The folder that the server writes to. One process at a time may hold it. */
export interface DataFolder {
  readonly path: string;
  /** The built-in database's cluster, created by its first start. */
  readonly postgres: string;
  /** Uploaded files, photos and recordings. */
  readonly blobs: string;
  /** The demo's key; null when SECRET_KEY is set. */
  readonly demoKey: string | null;
  /** Releases the lock. */
  release(): void;
}

const LOCK = 'lock';
const DEMO = 'demo';
const DEMO_KEY = 'secret.key';

/** The folder of uploaded files, photos and recordings. */
export const blobFolder = ({ DATA_DIR }: { readonly DATA_DIR: string }): string =>
  path.join(path.resolve(DATA_DIR), 'blobs');

/** This file is written when the database has its tables. A folder with it but without a database has lost it. */
const INSTALLED = 'installed';

/** Records that the database of this folder is set up, and whether it is the built-in one. */
export function markInstalled(settings: { readonly DATA_DIR: string; readonly DATABASE_URL: string | null }): void {
  const file = path.join(path.resolve(settings.DATA_DIR), INSTALLED);
  const content = settings.DATABASE_URL === null ? 'The database is in postgres/.\n' : 'The database is elsewhere.\n';
  if (readIfExists(file) === null) fs.writeFileSync(file, content, { mode: 0o600, flush: true });
}

/** Whether an installation with this folder has been set up before. */
export const isInstalled = (folder: string): boolean =>
  readIfExists(path.join(path.resolve(folder), INSTALLED)) !== null;

/**
 * Returns why the built-in database of this folder must not be started, as a sentence; null when it may. A new database in
 * place of a missing one (a volume that was not mounted) would look like an empty installation.
 */
export function databaseProblem(folder: string): string | null {
  const root = path.resolve(folder);
  const content = readIfExists(path.join(root, INSTALLED));
  if (content === null) return null;
  if (!content.includes('postgres/'))
    return `The database of DATA_DIR ${folder} is not in this folder: set DATABASE_URL, or choose another folder.`;
  if (fs.existsSync(path.join(root, 'postgres', 'PG_VERSION'))) return null;
  return `The database of DATA_DIR ${folder} is gone (its folder postgres is missing): mount it again, or restore a backup into a new folder.`;
}

/** Moves the files of an older demo, except the lock, to another folder. Returns its path. */
export function moveDemoAside(folder: string, now: Date): string {
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

/** Returns the kind of a data folder without changing it. */
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
 * Creates the folder and its parts where they are missing, and locks it.
 *
 * @param demo marks the folder permanently as a demo's and creates a random key
 * @throws Error (one sentence) when another live process holds the folder
 */
export function openDataFolder(folder: string, demo: boolean): DataFolder {
  const root = path.resolve(folder);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  const release = lock(root);
  try {
    // The marker comes first, so that a killed start does not leave a folder that looks like a real one.
    if (demo)
      fs.writeFileSync(path.join(root, DEMO), 'This folder belongs to a demo. It never becomes anything else.\n');
    const blobs = blobFolder({ DATA_DIR: root });
    fs.mkdirSync(blobs, { recursive: true, mode: 0o700 });
    const demoKey = demo ? readOrCreateKey(path.join(root, DEMO_KEY)) : null;
    return { path: root, postgres: path.join(root, 'postgres'), blobs, demoKey, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** 32 random bytes as 64 hexadecimal digits. */
function readOrCreateKey(file: string): string {
  if (!fs.existsSync(file)) {
    const unfinished = `${file}.${randomUUID()}`;
    fs.writeFileSync(unfinished, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    fs.renameSync(unfinished, file);
  }
  return fs.readFileSync(file, 'utf8').trim();
}

/** The lock has the holder's process id and start time, since process ids are used again, in containers immediately. */
function lock(root: string): () => void {
  const file = path.join(root, LOCK);
  const ownContent = `${process.pid} ${startTimeOf(process.pid)}\n`;
  const draft = `${file}.${randomUUID()}`;
  fs.writeFileSync(draft, ownContent);
  try {
    for (;;) {
      try {
        // Creating a link is atomic: it has the whole content, or fails when the lock exists.
        fs.linkSync(draft, file);
        return () => {
          if (readIfExists(file) === ownContent) fs.rmSync(file, { force: true });
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const otherContent = readIfExists(file);
      if (otherContent !== null) removeDeadLock(root, file, otherContent);
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
  if (startTimeOf(Number(pid)) === start.join(' ')) throw refused;
  // Two starts may see the same dead lock. Only the content that was read may be removed.
  const dead = `${file}.${randomUUID()}`;
  try {
    fs.renameSync(file, dead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readIfExists(dead);
  try {
    if (moved !== content) {
      fs.linkSync(dead, file);
      throw refused;
    }
  } finally {
    fs.rmSync(dead, { force: true });
  }
}

function readIfExists(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the start time of a process, in a form that depends on the system; null when there is no such process. */
function startTimeOf(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    if (process.platform === 'linux') {
      // Field 22, in ticks since boot. The name in field 2 may contain spaces and parentheses.
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
