import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changedMigrations, migrationsOf, readReleases } from './released-migrations.ts';

function emptyFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-released-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

/** Creates a repository with two migrations and a function. */
function createRepository() {
  const folder = emptyFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', ...args], { cwd: folder });
  const file = (name: string) => path.join(folder, 'server/migrations', name);
  const write = (name: string, sql: string) => fs.writeFileSync(file(name), sql);
  fs.mkdirSync(file('functions'), { recursive: true });
  write('001-baseline.sql', 'create table one (id int);\n');
  write('002-two.sql', 'create table two (id int);\n');
  write('functions/one.sql', 'create function one() returns int return 1;\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Start');
  const commit = git('rev-parse', 'HEAD').toString().trim();
  return { folder, file, write, commit };
}

test('readReleases: newest first; null where git has no commit of one, and without a repository', () => {
  const { folder, write, commit } = createRepository();
  const [first, second] = ['1.9.0', '1.10.0'].map((version) => ({ version, commit }));
  write('releases.txt', `# Releases\n1.9.0 ${commit}\n1.10.0 ${commit}\n`);
  expect(readReleases(folder)).toEqual([second, first]);
  write('releases.txt', `1.9.0 ${'0'.repeat(40)}\n`);
  expect(readReleases(folder)).toBeNull();
  write('releases.txt', `1.9.0 ${commit}\n`);
  fs.rmSync(path.join(folder, '.git'), { recursive: true });
  expect(readReleases(folder)).toBeNull();
});

test('changedMigrations: names those that were edited or deleted since the release, not new ones, functions or line ends', () => {
  const { folder, file, write, commit } = createRepository();
  const release = { version: '1.0.0', commit };
  write('003-three.sql', 'create table three (id int);\n');
  write('functions/one.sql', 'create function one() returns int return 2;\n');
  write('001-baseline.sql', 'create table one (id int);\r\n');
  expect(changedMigrations(release, folder)).toEqual([]);
  write('001-baseline.sql', 'create table one (id bigint);\n');
  fs.rmSync(file('002-two.sql'));
  expect(changedMigrations(release, folder)).toEqual(['001-baseline.sql', '002-two.sql']);
  expect([...migrationsOf(release, folder).keys()]).toEqual(['001-baseline.sql', '002-two.sql', 'functions/one.sql']);
});
