import type { Role } from '@roomside/contract/permissions.ts';
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import { ChunkFiles, type ChunkPlace, type SealedChunk } from './chunk-files.ts';
import { StorageFull } from './storage-full.ts';
import { recordingsDatabase } from './stored-recordings.ts';
import { UnreadableSegment } from './unreadable-segment.ts';

/** One segment of one device's track, from the start of a recorder to its stop (ENTITY-11). Times are the server's, ms. */
export interface Segment {
  /** The serial of the upload: the server stores it once. */
  readonly id: string;
  /** The user who records; other users do not see or upload it. */
  readonly owner: string;
  readonly appointmentUid: string;
  readonly roleId: Role;
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
  /** Why it cannot be uploaded: the server's code, or 'unreadable'. */
  readonly refused: string | null;
  /** Where its chunks are; without it in the database. */
  readonly place?: 'database' | 'files';
}

interface ChunkRow extends SealedChunk {
  readonly segment: string;
  readonly index: number;
}

interface Schema extends DBSchema {
  keys: { key: string; value: CryptoKey };
  segments: { key: string; value: Segment; indexes: { owner: string } };
  chunks: { key: [string, number]; value: ChunkRow };
}

const keyName = 'chunks';

/**
 * The recordings on this device that the server has not confirmed. Their list is in IndexedDB; their chunks are in files where the
 * browser has them, otherwise in IndexedDB too. Each chunk is committed when `append` resolves, so that a killed browser loses what
 * was recorded since. Chunks are sealed by a key that scripts cannot export.
 */
export class SegmentStore {
  #opening: Promise<IDBPDatabase<Schema>> | undefined;
  #key: Promise<CryptoKey> | undefined;
  #files: Promise<ChunkFiles | undefined> | undefined;

  async begin(segment: Omit<Segment, 'stopped' | 'lastAt' | 'chunks' | 'size' | 'refused' | 'place'>): Promise<void> {
    const db = await this.#open();
    const place = (await this.#openFiles()) ? 'files' : 'database';
    const fresh = { stopped: null, lastAt: segment.started, chunks: 0, size: 0, refused: null, place } as const;
    await guarded(db.put('segments', { ...segment, ...fresh }));
  }

  /**
   * Stores the next chunk of a segment. The segment has it when both the chunk and the segment's row are stored.
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
    const place = await this.#placeOf(before);
    await guarded(place.put(id, index, { nonce, sealed }));
    const after = { ...before, chunks: index + 1, size: before.size + bytes.byteLength, lastAt: at };
    await guarded(db.put('segments', after));
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

  /** Keeps a segment that cannot be uploaded. */
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

  /** The content of a segment. After a loss of power its last chunks may not have reached the disk: it ends before them. @throws UnreadableSegment */
  async read(segment: Pick<Segment, 'id' | 'chunks' | 'place'>): Promise<ArrayBuffer[]> {
    const { id, chunks } = segment;
    const key = await this.#keyOf(await this.#open());
    const place = await this.#placeOf(segment);
    const content: ArrayBuffer[] = [];
    for (let index = 0; index < chunks; index += 1) {
      const chunk = await place.get(id, index);
      if (!chunk) break;
      const { nonce: iv, sealed } = chunk;
      const algorithm = { name: 'AES-GCM', iv, additionalData: nameOf(id, index) };
      const opened = await crypto.subtle.decrypt(algorithm, key, sealed).catch(() => undefined);
      if (!opened) break;
      content.push(opened);
    }
    if (content.length === 0) throw new UnreadableSegment('The first chunk cannot be read.');
    return content;
  }

  async remove(id: string): Promise<void> {
    const db = await this.#open();
    const segment = await db.get('segments', id);
    // Chunks without a row are removed at the next start; a row without chunks could not be uploaded.
    await db.delete('segments', id);
    await (await this.#placeOf(segment ?? {})).remove(id);
  }

  /** Deletes everything, the key included. For tests. */
  async destroy(): Promise<void> {
    (await this.#opening)?.close();
    this.#opening = undefined;
    this.#key = undefined;
    await deleteDB(recordingsDatabase);
  }

  async #placeOf({ place }: Pick<Segment, 'place'>): Promise<ChunkPlace> {
    if (place !== 'files') return new ChunkRows(await this.#open());
    const files = await this.#openFiles();
    if (!files) throw new Error('The files of the recording cannot be opened.');
    return files;
  }

  /** The files, without those that have no segment; undefined where the browser has no files. */
  #openFiles(): Promise<ChunkFiles | undefined> {
    this.#files ??= (async () => {
      const files = await ChunkFiles.open();
      // The disk has room for what could not be removed; the next page tries again.
      await this.#sweep(files).catch(() => undefined);
      return files;
    })();
    return this.#files;
  }

  async #sweep(files: ChunkFiles | undefined): Promise<void> {
    const db = await this.#open();
    for (const id of (await files?.segments()) ?? []) if (!(await db.get('segments', id))) await files?.remove(id);
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

/** Chunks in the database. */
class ChunkRows implements ChunkPlace {
  readonly #db: IDBPDatabase<Schema>;

  constructor(db: IDBPDatabase<Schema>) {
    this.#db = db;
  }

  async put(segment: string, index: number, { nonce, sealed }: SealedChunk): Promise<void> {
    await this.#db.put('chunks', { segment, index, nonce, sealed });
  }

  get(segment: string, index: number): Promise<SealedChunk | undefined> {
    return this.#db.get('chunks', [segment, index]);
  }

  remove(segment: string): Promise<void> {
    return this.#db.delete('chunks', IDBKeyRange.bound([segment, 0], [segment, Number.MAX_SAFE_INTEGER]));
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
