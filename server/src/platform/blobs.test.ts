import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startS3 } from '../../test/s3-server.ts';
import { type BlobFiles, type BlobName, folderFiles } from './blob-files.ts';
import { BlobDiffers, BlobTooLarge, frameBytes, sealedBlobs } from './blobs.ts';
import { type DataKey, UnreadableValue } from './envelope.ts';
import { openBlobFiles } from './open-blob-files.ts';
import { readSettings } from './settings.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-blobs-'));
const s3 = await startS3();
afterAll(async () => {
  fs.rmSync(root, { recursive: true, force: true });
  await s3.close();
});

const bytes = async (stream: Readable | null) => stream && Buffer.concat(await stream.toArray());
const text = async (stream: Readable | null) => (await bytes(stream))?.toString() ?? null;
const limit = (maxBytes: number) => ({ maxBytes });
/** Below this folder the store has its files. */
const folders = { folder: root, bucket: s3.folder };
const stores: Record<keyof typeof folders, BlobFiles> = {
  folder: folderFiles(root),
  bucket: await openBlobFiles(readSettings(s3.settings)),
};

/** What both stores do. */
describe.each(Object.keys(stores) as (keyof typeof stores)[])('blobs in a %s', (kind) => {
  const blobFiles = stores[kind];

  /** Keys of two companies. The first company's current key can be replaced. */
  const known: DataKey[] = [1, 2, 3].map((id) => ({ id, bytes: randomBytes(32) }));
  let present: Record<number, number> = { 10: 1, 20: 2 };
  const keyOf = (id: number | undefined) => {
    const key = known.find((one) => one.id === id);
    if (!key) throw new UnreadableValue('gone');
    return key;
  };
  const store = sealedBlobs(blobFiles, {
    current: async (companyId) => keyOf(present[companyId]),
    byId: async (_, keyId) => keyOf(keyId),
  });
  const uid = 'ab'.repeat(16);
  const name = { companyId: 10, uid };
  const header = 16;
  const sealedFrame = frameBytes + 16;

  /** The bytes that are stored. */
  async function stored(of: BlobName = name): Promise<Buffer> {
    const file = await blobFiles.open(of);
    if (!file) throw new Error('There is no such file.');
    const content = Buffer.concat(await Readable.from(file.read(0, file.size)).toArray());
    await file.close();
    return content;
  }
  const replace = (content: Buffer, of: BlobName = name) => blobFiles.write(of, Readable.from([content]));
  /** Everything below the store's folder with a part of a content, unfinished files included. */
  const contents = () =>
    fs
      .readdirSync(folders[kind], { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && fs.statSync(path.join(entry.parentPath, entry.name)).size >= header)
      // The test server knows no end of an upload: that it is asked for is tested.
      .filter((entry) => !entry.parentPath.includes('uploads'));

  afterEach(async () => {
    for await (const one of blobFiles.list()) await blobFiles.delete(one);
  });

  describe('blob store', () => {
    test('read: returns the content that was put, whole and in ranges', async () => {
      const put = await store.put(name, Readable.from([Buffer.from('hello '), Buffer.from('world')]), limit(100));
      expect(put).toEqual({ size: 11, sha256: createHash('sha256').update('hello world').digest('hex') });
      expect(await text(await store.read(name))).toBe('hello world');
      expect(await text(await store.read(name, { start: 6, end: 10 }))).toBe('world');
      expect(await text(await store.read(name, { start: 6, end: 999 }))).toBe('world');
      expect(await text(await store.read(name, { start: 11, end: 20 }))).toBe('');
      await store.delete(name);
      await store.delete(name);
      expect(await store.read(name)).toBeNull();
    });

    test.each([0, 1, frameBytes - 1, frameBytes, frameBytes + 1, 3 * frameBytes, 3 * frameBytes + 7])(
      'blob of %i bytes: is whole in every range over its frames, and its file shows none of it',
      async (size) => {
        const content = randomBytes(size);
        // In pieces that do not fit the frames.
        const pieces = Array.from({ length: Math.ceil(size / 50_001) }, (_, at) =>
          content.subarray(at * 50_001, (at + 1) * 50_001),
        );
        expect((await store.put(name, Readable.from(pieces), limit(size))).size).toBe(size);
        expect(await bytes(await store.read(name))).toEqual(content);
        for (const start of [0, frameBytes - 1, frameBytes, 2 * frameBytes - 1]) {
          for (const end of [start, start + 1, start + frameBytes]) {
            const read = await bytes(await store.read(name, { start, end }));
            expect(read?.equals(content.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
          }
        }
        const sealed = await stored();
        expect(sealed.length).toBe(header + size + 16 * Math.max(1, Math.ceil(size / frameBytes)));
        if (size > 16) expect(sealed.includes(content.subarray(0, 16))).toBe(false);
      },
    );

    test('put: a stream that fails or is too large leaves no file', async () => {
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('gone');
      }
      await expect(store.put(name, Readable.from(broken()), limit(100))).rejects.toThrow('gone');
      await expect(store.put(name, Readable.from([Buffer.alloc(101)]), limit(100))).rejects.toThrow(BlobTooLarge);
      expect(contents()).toEqual([]);
    });

    test('put: content that differs from what was announced leaves no file, and keeps the earlier one', async () => {
      const content = Buffer.from('whole');
      const sha256 = createHash('sha256').update(content).digest('hex');
      const announced = { maxBytes: 100, size: content.length, sha256 };
      await store.put(name, Readable.from([content]), announced);
      for (const part of [content.subarray(0, 4), Buffer.from('other')])
        await expect(store.put(name, Readable.from([part]), announced)).rejects.toThrow(BlobDiffers);
      expect(await text(await store.read(name))).toBe('whole');
      expect(await Readable.from(blobFiles.list()).toArray()).toHaveLength(1);
    });

    test('put: content of several parts of an upload is whole, and nothing is left when it fails in a later part', async () => {
      const content = randomBytes(17 * 1024 * 1024 + 3);
      async function* pieces(upTo: number) {
        for (let at = 0; at < upTo; at += 1_000_003) yield content.subarray(at, Math.min(upTo, at + 1_000_003));
        if (upTo < content.length) throw new Error('gone');
      }
      await expect(store.put(name, pieces(12 * 1024 * 1024), limit(content.length))).rejects.toThrow('gone');
      expect(contents()).toEqual([]);
      if (kind === 'bucket') expect(s3.requests.at(-1)).toMatch(/^DELETE .*uploadId=/);
      await store.put(name, pieces(content.length), limit(content.length));
      const range = { start: 9_000_000, end: 16_999_999 };
      expect((await bytes(await store.read(name, range)))?.equals(content.subarray(range.start, range.end + 1))).toBe(
        true,
      );
      expect((await bytes(await store.read(name)))?.equals(content)).toBe(true);
    });

    test('list: has the blobs of one company, or of all', async () => {
      for (const one of [name, { companyId: 20, uid }, { companyId: 10, uid: 'cd'.repeat(16) }])
        await replace(Buffer.from('x'), one);
      const companies = async (companyId?: number) =>
        (await Readable.from(blobFiles.list(companyId)).toArray())
          .map((one: BlobName) => one.companyId)
          .toSorted((a, b) => a - b);
      expect(await companies()).toEqual([10, 10, 20]);
      expect(await companies(20)).toEqual([20]);
      expect(await companies(1)).toEqual([]);
    });

    test('put: refuses names that are not a uid and a company id', async () => {
      for (const bad of ['../../etc/passwd', 'AB'.repeat(16), `${uid}/..`, ''])
        await expect(store.read({ companyId: 10, uid: bad })).rejects.toThrow('Not the uid');
      for (const bad of [-1, 1.5, Number.NaN])
        await expect(store.read({ companyId: bad, uid })).rejects.toThrow('Not the id of a company');
      await store.put(name, Readable.from([Buffer.from('x')]), limit(1));
      expect(await store.read({ companyId: 20, uid })).toBeNull();
    });
  });

  describe('changed blob file', () => {
    const content = randomBytes(3 * frameBytes + 100);
    const put = (of = name) => store.put(of, Readable.from([content]), limit(content.length));
    const inFirstFrame = { start: 0, end: 9 };
    const read = async (range?: { start: number; end: number }) => bytes(await store.read(name, range));

    test('file truncated at a frame or within one: read throws UnreadableValue for every range', async () => {
      await put();
      const whole = await stored();
      for (const length of [
        0,
        5,
        header,
        header + 10,
        header + sealedFrame,
        header + 2 * sealedFrame,
        header + 3 * sealedFrame,
        whole.length - 1,
      ]) {
        await replace(whole.subarray(0, length));
        await expect(read(inFirstFrame), `${length} bytes`).rejects.toThrow(UnreadableValue);
      }
      await replace(Buffer.concat([whole, Buffer.from('x')]));
      await expect(read(inFirstFrame)).rejects.toThrow(UnreadableValue);
    });

    test('file with exchanged or repeated frames: read throws UnreadableValue', async () => {
      await put();
      const whole = await stored();
      const frame = (number: number) =>
        whole.subarray(header + number * sealedFrame, header + (number + 1) * sealedFrame);
      const make = (...numbers: number[]) => Buffer.concat([whole.subarray(0, header), ...numbers.map(frame)]);
      for (const order of [
        [1, 0, 2, 3],
        [0, 1, 1, 3],
        [0, 2, 3],
        [0, 1, 2, 2, 3],
      ]) {
        await replace(make(...order));
        await expect(read(), `${order.join(' ')}`).rejects.toThrow(UnreadableValue);
      }
      await replace(make(0, 1, 2, 3));
      expect(await read()).toEqual(content);
    });

    test('file with one changed byte: read throws UnreadableValue; the frames before it can be read', async () => {
      await put();
      const whole = await stored();
      for (const at of [0, 3, 12, header, header + sealedFrame + 5, whole.length - 1]) {
        const bent = Buffer.from(whole);
        bent[at] = (bent[at] as number) ^ 1;
        await replace(bent);
        await expect(read(), `byte ${at}`).rejects.toThrow(UnreadableValue);
      }
      const bent = Buffer.from(whole);
      bent[header + sealedFrame + 5] = (bent[header + sealedFrame + 5] as number) ^ 1;
      await replace(bent);
      expect(await read(inFirstFrame)).toEqual(content.subarray(0, 10));
    });

    test('file of another blob, of the same or another company: read throws UnreadableValue', async () => {
      const other = { companyId: 10, uid: 'cd'.repeat(16) };
      await put(other);
      await put();
      await replace(await stored(other));
      await expect(read()).rejects.toThrow(UnreadableValue);
      await put({ companyId: 20, uid });
      await replace(await stored({ companyId: 20, uid }));
      await expect(read()).rejects.toThrow(UnreadableValue);
    });
  });

  describe('reseal', () => {
    test('key that is replaced and erased during an upload: the content stays readable', async () => {
      const own = { companyId: 40, uid };
      const former: DataKey = { id: 4, bytes: randomBytes(32) };
      known.push(former);
      present = { ...present, 40: 4 };
      const content = async function* () {
        yield randomBytes(frameBytes);
        known.splice(known.indexOf(former), 1);
        present = { ...present, 40: 1 };
        yield Buffer.from('the end');
      };
      await store.put(own, content(), limit(2 * frameBytes));
      expect((await text(await store.read(own)))?.slice(-7)).toBe('the end');
      expect(await store.uses(40, 1)).toBe(true);
    });

    test('seals by the current key; the former key opens blobs until then', async () => {
      const content = randomBytes(2 * frameBytes + 5);
      await store.put(name, Readable.from([content]), limit(content.length));
      await store.put({ companyId: 20, uid }, Readable.from([Buffer.from('theirs')]), limit(10));
      present = { ...present, 10: 3 };
      expect(await bytes(await store.read(name))).toEqual(content);
      expect([await store.uses(10, 1), await store.uses(10, 3)]).toEqual([true, false]);
      const uids = [];
      for await (const one of store.list(10)) uids.push(one);
      expect(uids).toEqual([uid]);
      expect(await store.reseal(name)).toBe(true);
      expect(await store.reseal(name)).toBe(false);
      expect([await store.uses(10, 1), await store.uses(10, 3)]).toEqual([false, true]);
      expect(await bytes(await store.read(name))).toEqual(content);
      expect(await Readable.from(blobFiles.list()).toArray()).toHaveLength(2);
      expect(await store.reseal({ companyId: 10, uid: 'cd'.repeat(16) })).toBe(false);
      expect(await store.uses(30, 1)).toBe(false);
      // Without its key the blob cannot be read.
      known.splice(2, 1);
      await expect(store.read(name)).rejects.toThrow(UnreadableValue);
      expect(await text(await store.read({ companyId: 20, uid }))).toBe('theirs');
    });
  });
});

test('read from a folder: closes the file when the stream is not read', async ({ skip }) => {
  skip(!fs.existsSync('/proc/self/fd'), 'this system does not list the open files of a process');
  const name = { companyId: 10, uid: 'cd'.repeat(16) };
  const key = { id: 1, bytes: randomBytes(32) };
  const store = sealedBlobs(stores.folder, { current: async () => key, byId: async () => key });
  await store.put(name, Readable.from([randomBytes(5 * frameBytes)]), limit(10 * frameBytes));
  const stored = path.join(root, '10', 'cd', name.uid);
  const target = (fd: string) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return undefined;
    }
  };
  const open = () => fs.readdirSync('/proc/self/fd').filter((fd) => target(fd) === stored).length;
  const stream = await store.read(name);
  expect(open()).toBe(1);
  stream?.destroy();
  await expect.poll(open).toBe(0);
  await store.delete(name);
});
