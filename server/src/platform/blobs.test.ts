import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { BlobTooLarge, diskBlobs } from './blobs.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-blobs-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const store = diskBlobs(folder);
const uid = 'ab'.repeat(16);
const text = async (stream: Readable | null) => stream && Buffer.concat(await stream.toArray()).toString();
const files = () => fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('what was put is read back, whole and in ranges, with its size and hash', async () => {
  const stored = await store.put(uid, Readable.from([Buffer.from('hello '), Buffer.from('world')]), 100);
  expect(stored).toEqual({ size: 11, sha256: createHash('sha256').update('hello world').digest('hex') });
  expect(await text(await store.read(uid))).toBe('hello world');
  expect(await text(await store.read(uid, { start: 6, end: 10 }))).toBe('world');
  await store.delete(uid);
  await store.delete(uid);
  expect(await store.read(uid)).toBeNull();
});

test('one that breaks off, or is too large, leaves nothing', async () => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('gone');
  }
  await expect(store.put(uid, Readable.from(broken()), 100)).rejects.toThrow('gone');
  await expect(store.put(uid, Readable.from([Buffer.alloc(101)]), 100)).rejects.toThrow(BlobTooLarge);
  expect(files()).toEqual([]);
});

test('nothing but a uid names a blob', async () => {
  for (const name of ['../../etc/passwd', 'AB'.repeat(16), `${uid}/..`, ''])
    await expect(store.read(name)).rejects.toThrow('Not the uid');
});
