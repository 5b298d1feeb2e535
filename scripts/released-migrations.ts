import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './steps.ts';

/**
 * Released migrations, which the gate protects: databases have run them, so a change reaches only new installations. Releases are lines of
 * `server/migrations/releases.txt`, since a copy of the repository need not have its tags.
 */

const folder = 'server/migrations';

/** Runs git in a repository; null when there is no git, no repository, or the command fails. */
function git(repository: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout : null;
}

/** Whether there is a repository with its whole history. */
export const hasHistory = (repository: string = root): boolean =>
  git(repository, 'rev-parse', '--is-shallow-repository')?.trim() === 'false';

export interface Release {
  readonly version: string;
  /** The commit that was released. */
  readonly commit: string;
}

/**
 * Returns the releases, newest first; null where git does not have their commits: without a repository, or in a copy without its history.
 */
export function readReleases(repository: string = root): Release[] | null {
  const lines = fs.readFileSync(path.join(repository, folder, 'releases.txt'), 'utf8').split(/\r?\n/);
  const releases = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [version = '', commit = ''] = line.split(' ');
      return { version, commit };
    });
  const hasAll = releases.every(({ commit }) => git(repository, 'cat-file', '-e', `${commit}^{commit}`) !== null);
  return hasAll ? releases.toReversed() : null;
}

/** Returns the files below `server/migrations` of a release: their contents by their paths in that folder. */
export function migrationsOf({ commit }: Release, repository: string = root): Map<string, string> {
  const names = git(repository, 'ls-tree', '-r', '--name-only', commit, '--', `${folder}/`);
  if (names === null) throw new Error(`git has no ${commit}.`);
  return new Map(
    names
      .split('\n')
      .filter((name) => name.endsWith('.sql'))
      .map((name) => [path.posix.relative(folder, name), git(repository, 'show', `${commit}:${name}`) ?? '']),
  );
}

/** Returns the migrations of a release that are changed or missing in the working tree. Functions may change. */
export function changedMigrations(release: Release, repository: string = root): string[] {
  const current = (name: string) => {
    const file = path.join(repository, folder, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : null;
  };
  return [...migrationsOf(release, repository)]
    .filter(([name, sql]) => !name.includes('/') && current(name) !== sql.replaceAll('\r\n', '\n'))
    .map(([name]) => name);
}

function main(): void {
  const releases = readReleases();
  if (releases === null) {
    process.stdout.write('Released migrations are not checked: git does not have the commits of the releases here.\n');
    return;
  }
  for (const release of releases) {
    for (const name of changedMigrations(release)) {
      process.stderr.write(
        `${folder}/${name} was released with ${release.version}: put it back, and add a new migration.\n`,
      );
      process.exitCode = 1;
    }
  }
}

if (import.meta.main) main();
