import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './steps.ts';

/**
 * Released migrations, which the gate protects: databases have run them, so a change reaches only new installations. A release
 * is a git tag `v*`.
 */

const folder = 'server/migrations';

/** Runs git in a repository; null when there is no git, no repository, or the command fails. */
function git(repository: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout : null;
}

/** Returns the releases, newest first; null without git or a repository. */
export function releaseTags(repository: string = root): string[] | null {
  const listed = git(repository, 'tag', '--list', 'v*', '--sort=-v:refname');
  return listed === null ? null : listed.split('\n').filter(Boolean);
}

/** Returns the files below `server/migrations` at a commit or tag: their contents by their paths in that folder. */
export function migrationsAt(ref: string, repository: string = root): Map<string, string> {
  const names = git(repository, 'ls-tree', '-r', '--name-only', ref, '--', `${folder}/`);
  if (names === null) throw new Error(`git has no ${ref}.`);
  return new Map(
    names
      .split('\n')
      .filter((name) => name.endsWith('.sql'))
      .map((name) => [path.posix.relative(folder, name), git(repository, 'show', `${ref}:${name}`) ?? '']),
  );
}

/** Returns the migrations of a release that are changed or missing in the working tree. Functions may change. */
export function changedMigrations(tag: string, repository: string = root): string[] {
  const current = (name: string) => {
    const file = path.join(repository, folder, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : null;
  };
  return [...migrationsAt(tag, repository)]
    .filter(([name, sql]) => !name.includes('/') && current(name) !== sql.replaceAll('\r\n', '\n'))
    .map(([name]) => name);
}

function main(): void {
  const tags = releaseTags();
  const [newest] = tags ?? [];
  if (newest === undefined) {
    const reason = tags === null ? 'there is no git repository' : 'no release is tagged v*';
    process.stdout.write(`Released migrations are not checked: ${reason}.\n`);
    return;
  }
  for (const name of changedMigrations(newest)) {
    process.stderr.write(`${folder}/${name} was released with ${newest}: put it back, and add a new migration.\n`);
    process.exitCode = 1;
  }
}

if (import.meta.main) main();
