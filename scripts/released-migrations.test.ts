import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changedMigrations, migrationsAt, releaseTags } from './released-migrations.ts';

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
  return { folder, git, file, write };
}

test('releaseTags: newest first, v* only; none without tags, null without a repository', () => {
  const { folder, git } = createRepository();
  expect(releaseTags(folder)).toEqual([]);
  for (const name of ['v1.9.0', 'v1.10.0', 'other']) git('tag', name);
  expect(releaseTags(folder)).toEqual(['v1.10.0', 'v1.9.0']);
  expect(releaseTags(emptyFolder())).toBeNull();
});

test('changedMigrations: names those that were edited or deleted since the tag, not new ones, functions or line ends', () => {
  const { folder, git, file, write } = createRepository();
  git('tag', 'v1.0.0');
  write('003-three.sql', 'create table three (id int);\n');
  write('functions/one.sql', 'create function one() returns int return 2;\n');
  write('001-baseline.sql', 'create table one (id int);\r\n');
  expect(changedMigrations('v1.0.0', folder)).toEqual([]);
  write('001-baseline.sql', 'create table one (id bigint);\n');
  fs.rmSync(file('002-two.sql'));
  expect(changedMigrations('v1.0.0', folder)).toEqual(['001-baseline.sql', '002-two.sql']);
  expect([...migrationsAt('v1.0.0', folder).keys()]).toEqual(['001-baseline.sql', '002-two.sql', 'functions/one.sql']);
});
