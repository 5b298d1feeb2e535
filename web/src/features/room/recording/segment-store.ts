import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import { recordingsDatabase } from './stored-recordings.ts';

/** One segment of one device's track, from the start of a recorder to its stop (ENTITY-11). Times are the server's, ms. */
export interface Segment {
  /** The serial of the upload: the server stores it once. */
  readonly id: string;
  /** The user who records; other users do not see or upload it. */
  readonly owner: string;
  readonly appointmentUid: string;
  readonly roleId: 'A' | 'D' | 'U' | 'P';
  readonly userId: number;
  readonly device: string;
  /** With its codecs. */
  readonly mediaType: string;
  /** The page load that records it. */
  readonly page: string;
  readonly started: number;
  /** Null until the recorder has stopped. */
  readonly stopped: number | null;
  /** When the last chunk was stored. */
  readonly lastAt: number;
  readonly chunks: number;
  /** Bytes. */
  readonly size: number;
  /** The code with which the server refused it for good. */
  readonly refused: string | null;
}

interface Chunk {
  readonly segment: string;
  readonly index: number;
  readonly nonce: Uint8Array<ArrayBuffer>;
  /** AES-GCM. */
  readonly sealed: ArrayBuffer;
}

interface Schema extends DBSchema {
  keys: { key: string; value: CryptoKey };
  segments: { key: string; value: Segment; indexes: { owner: string } };
  chunks: { key: [string, number]; value: Chunk };
}

const keyName = 'chunks';

/** The browser's storage has no room for another chunk. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
}

/**
 * The recordings on this device that the server has not confirmed, in IndexedDB. Each chunk is committed when `append` resolves, so
 * that a killed browser loses what was recorded since. Chunks are sealed by a key that scripts cannot export.
 */
export class SegmentStore {
  #opening: Promise<IDBPDatabase<Schema>> | undefined;
  #key: Promise<CryptoKey> | undefined;

  async begin(segment: Omit<Segment, 'stopped' | 'lastAt' | 'chunks' | 'size' | 'refused'>): Promise<void> {
    const db = await this.#open();
    const fresh = { stopped: null, lastAt: segment.started, chunks: 0, size: 0, refused: null };
    await guarded(db.put('segments', { ...segment, ...fresh }));
  }

  /**
   * Stores the next chunk of a segment.
   *
   * @param at the time of its end, ms
   * @throws StorageFull
   */
  async append(id: string, bytes: ArrayBuffer, at: number): Promise<void> {
    const db = await this.#open();
    const before = await db.get('segments', id);
    if (!before) throw new Error('The segment was deleted.');
    const index = before.chunks;
    const nonce = crypto.getRandomValues(new Uint8Array(12));
    const key = await this.#keyOf(db);
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv: nonce, additionalData: nameOf(id, index) },
      key,
      bytes,
    );
    const work = db.transaction(['segments', 'chunks'], 'readwrite');
    await guarded(
      Promise.all([
        work.objectStore('chunks').put({ segment: id, index, nonce, sealed }),
        work
          .objectStore('segments')
          .put({ ...before, chunks: index + 1, size: before.size + bytes.byteLength, lastAt: at }),
        work.done,
      ]),
    );
  }

  /** Ends a segment. One without chunks is deleted. Returns whether it is kept. */
  async finish(id: string, stopped: number): Promise<boolean> {
    const db = await this.#open();
    const segment = await db.get('segments', id);
    if (!segment) return false;
    if (segment.chunks === 0) {
      await this.remove(id);
      return false;
    }
    await db.put('segments', { ...segment, stopped: Math.max(stopped, segment.started + 1) });
    return true;
  }

  /** Keeps a segment that the server has refused. */
  async refuse(id: string, code: string): Promise<void> {
    const db = await this.#open();
    const segment = await db.get('segments', id);
    if (segment) await db.put('segments', { ...segment, refused: code });
  }

  /** The segments of a user, oldest first. */
  async list(owner: string): Promise<Segment[]> {
    const db = await this.#open();
    return (await db.getAllFromIndex('segments', 'owner', owner)).toSorted((a, b) => a.started - b.started);
  }

  /** The content of a segment. */
  async read({ id, chunks }: Pick<Segment, 'id' | 'chunks'>): Promise<ArrayBuffer[]> {
    const db = await this.#open();
    const key = await this.#keyOf(db);
    const content: ArrayBuffer[] = [];
    for (let index = 0; index < chunks; index += 1) {
      const chunk = await db.get('chunks', [id, index]);
      if (!chunk) throw new Error('A chunk is missing.');
      const { nonce: iv, sealed } = chunk;
      content.push(
        await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: nameOf(id, index) }, key, sealed),
      );
    }
    return content;
  }

  async remove(id: string): Promise<void> {
    const db = await this.#open();
    const work = db.transaction(['segments', 'chunks'], 'readwrite');
    await Promise.all([
      work.objectStore('segments').delete(id),
      work.objectStore('chunks').delete(IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER])),
      work.done,
    ]);
  }

  /** Deletes everything, the key included. For tests. */
  async destroy(): Promise<void> {
    (await this.#opening)?.close();
    this.#opening = undefined;
    this.#key = undefined;
    await deleteDB(recordingsDatabase);
  }

  #open(): Promise<IDBPDatabase<Schema>> {
    this.#opening ??= openDB<Schema>(recordingsDatabase, 1, {
      upgrade(db) {
        db.createObjectStore('keys');
        db.createObjectStore('segments', { keyPath: 'id' }).createIndex('owner', 'owner');
        db.createObjectStore('chunks', { keyPath: ['segment', 'index'] });
      },
      // Another page deletes the database, or has a newer version of it.
      blocking: (_from, _to, { target }) => {
        this.#opening = undefined;
        (target as IDBDatabase).close();
      },
      terminated: () => {
        this.#opening = undefined;
      },
    }).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** The device's key. Two pages that start at the same time get the same one. */
  #keyOf(db: IDBPDatabase<Schema>): Promise<CryptoKey> {
    this.#key ??= (async () => {
      const stored = await db.get('keys', keyName);
      if (stored) return stored;
      const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
      const work = db.transaction('keys', 'readwrite');
      const first = await work.store.get(keyName);
      if (!first) await work.store.put(made, keyName);
      await work.done;
      return first ?? made;
    })().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }
}

/** Binds a chunk to its place: one that was moved does not open. */
const nameOf = (id: string, index: number) => new TextEncoder().encode(`${id} ${index}`);

/** Replaces the browser's error for a full storage. */
async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as Error | null)?.name === 'QuotaExceededError')
      throw new StorageFull('The storage is full.', { cause: error });
    throw error;
  }
}
