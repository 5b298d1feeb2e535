// @vitest-environment node
import 'fake-indexeddb/auto';
import { afterEach, describe, expect, test } from 'vitest';
import { type Segment, SegmentStore } from './segment-store.ts';

const store = new SegmentStore();
afterEach(() => store.destroy());

const segment = (id: string, values: Partial<Segment> = {}) => ({
  id,
  owner: '1:7',
  appointmentUid: 'a'.repeat(32),
  roleId: 'P' as const,
  userId: 5,
  device: 'phone',
  mediaType: 'video/mp4',
  page: 'page',
  started: 1_000,
  ...values,
});
const bytes = (text: string) => new TextEncoder().encode(text).buffer;
const textOf = async (one: Segment) => new Blob(await store.read(one)).text();

describe('SegmentStore', () => {
  test('returns the chunks of a segment in order, by a new page too', async () => {
    await store.begin(segment('one'));
    for (const [index, text] of ['a', 'b', 'c'].entries()) await store.append('one', bytes(text), 2_000 + index);
    expect(await store.finish('one', 3_000)).toBe(true);
    const [stored] = await new SegmentStore().list('1:7');
    expect(stored).toMatchObject({ id: 'one', chunks: 3, size: 3, started: 1_000, stopped: 3_000, lastAt: 2_002 });
    expect(await new SegmentStore().read(stored as Segment).then((parts) => new Blob(parts).text())).toBe('abc');
  });

  test('what was recorded until a crash: is kept, with the time of its last chunk', async () => {
    await store.begin(segment('cut'));
    await store.append('cut', bytes('ab'), 1_900);
    const [left] = await new SegmentStore().list('1:7');
    expect(left).toMatchObject({ stopped: null, lastAt: 1_900 });
    expect(await textOf(left as Segment)).toBe('ab');
  });

  test('a segment of an earlier version, whose row has no place: is read from the database', async () => {
    await store.begin(segment('early'));
    await store.append('early', bytes('kept'), 1_100);
    const [{ place: _, ...early } = {}] = await store.list('1:7');
    expect(await textOf(early as Segment)).toBe('kept');
  });

  test('a last chunk that has not reached the disk: the segment ends before it', async () => {
    await store.begin(segment('one'));
    for (const text of ['a', 'b']) await store.append('one', bytes(text), 1_100);
    await withChunks('readwrite', (chunks) => chunks.delete(['one', 1]));
    const [one] = await store.list('1:7');
    expect(await textOf(one as Segment)).toBe('a');
  });

  test('a segment without content: is deleted at its end', async () => {
    await store.begin(segment('empty'));
    expect(await store.finish('empty', 2_000)).toBe(false);
    expect(await store.list('1:7')).toEqual([]);
  });

  test('another user’s segments: are not listed', async () => {
    await store.begin(segment('mine'));
    await store.begin(segment('theirs', { owner: '1:8' }));
    expect((await store.list('1:7')).map(({ id }) => id)).toEqual(['mine']);
  });

  test('is sealed: the database has no readable content, and a moved chunk does not open', async () => {
    await store.begin(segment('one'));
    await store.append('one', bytes('recorded words'), 1_100);
    await store.append('one', bytes('further words'), 1_200);
    const chunks = await rawChunks();
    expect(chunks.map(({ sealed }) => new TextDecoder('latin1').decode(sealed)).join()).not.toContain('words');
    await swap(chunks);
    const [one] = await store.list('1:7');
    await expect(store.read(one as Segment)).rejects.toMatchObject({ name: 'UnreadableSegment' });
  });

  test('remove: deletes the segment and its chunks only', async () => {
    await store.begin(segment('one'));
    await store.begin(segment('two', { started: 2_000 }));
    await store.append('one', bytes('1'), 1_100);
    await store.append('two', bytes('2'), 2_100);
    await store.remove('one');
    expect((await store.list('1:7')).map(({ id }) => id)).toEqual(['two']);
    expect((await rawChunks()).map(({ segment: of }) => of)).toEqual(['two']);
  });
});

interface RawChunk {
  segment: string;
  index: number;
  nonce: Uint8Array;
  sealed: ArrayBuffer;
}

function withChunks<T>(mode: IDBTransactionMode, work: (chunks: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('roomside-recordings');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const db = opening.result;
      const request = work(db.transaction('chunks', mode).objectStore('chunks'));
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        db.close();
        resolve(request.result);
      };
    };
  });
}
const rawChunks = () => withChunks('readonly', (chunks) => chunks.getAll()) as Promise<RawChunk[]>;

/** Exchanges the contents of the first two chunks. */
async function swap([first, second]: RawChunk[]): Promise<void> {
  if (!first || !second) throw new Error('There are no two chunks.');
  await withChunks('readwrite', (chunks) => chunks.put({ ...first, nonce: second.nonce, sealed: second.sealed }));
  await withChunks('readwrite', (chunks) => chunks.put({ ...second, nonce: first.nonce, sealed: first.sealed }));
}
