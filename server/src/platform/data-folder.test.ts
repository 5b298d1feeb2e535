import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNode } from '../../test/start-node.ts';
import { inspectDataFolder, openDataFolder } from './data-folder.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-data-test-'));
  folder = path.join(parent, 'data');
});
afterEach(() => fs.rmSync(parent, { recursive: true, force: true }));

test('openDataFolder, demo: marks a new folder and creates a private key that is kept', () => {
  expect(inspectDataFolder(folder)).toBe('new');
  const first = openDataFolder(folder, true);
  expect(first.demoKey).toMatch(/^[0-9a-f]{64}$/);
  expect(fs.statSync(path.join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
  expect(inspectDataFolder(folder)).toBe('demo');
  first.release();
  const second = openDataFolder(folder, true);
  expect(second.demoKey).toBe(first.demoKey);
  second.release();
});

test('openDataFolder, not demo: the folder is real and has no key', () => {
  const opened = openDataFolder(folder, false);
  expect(opened.demoKey).toBeNull();
  expect(fs.statSync(opened.blobs).isDirectory()).toBe(true);
  opened.release();
  expect(inspectDataFolder(folder)).toBe('real');
});

test('inspectDataFolder: a folder that was only locked is new', () => {
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'lock'), '1 x\n');
  expect(inspectDataFolder(folder)).toBe('new');
});

test('openDataFolder: refuses a folder in use, also by the same process, until it is released', () => {
  const first = openDataFolder(folder, false);
  expect(() => openDataFolder(folder, false)).toThrow(`in use by another Roomside (process ${process.pid})`);
  first.release();
  openDataFolder(folder, false).release();
  expect(fs.readdirSync(folder)).toEqual(['blobs']);
});

test('openDataFolder: takes over the lock of a killed process', async () => {
  const module = fileURLToPath(new URL('data-folder.ts', import.meta.url));
  const program = `
    const { openDataFolder } = await import(${JSON.stringify(module)});
    openDataFolder(${JSON.stringify(folder)}, false);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const node = startNode(['--input-type=module', '-e', program]);
  await once(node.stdout, 'data');
  expect(() => openDataFolder(folder, false)).toThrow(`process ${node.pid}`);
  node.kill('SIGKILL');
  await once(node, 'exit');
  openDataFolder(folder, false).release();
});

test('openDataFolder: takes over a lock whose process id belongs to another process now', () => {
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'lock'), `${process.pid} 1 of-another-boot\n`);
  openDataFolder(folder, false).release();
});
