import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

/** What a stored blob turned out to be; a row keeps it, so that both can be compared (I5 of the invariants). */
export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Files, photos and recordings, by uid: 32 lower-case hexadecimal digits, never a name that somebody typed. */
export interface BlobStore {
  /**
   * Writes a whole blob durably before it answers; a stream that breaks off or grows over `most` bytes leaves nothing.
   *
   * @throws BlobTooLarge
   */
  put(uid: string, content: Readable, most: number): Promise<StoredBlob>;
  /** The bytes from `start` to `end` (inclusive, as in HTTP ranges); null when there is no such blob. */
  read(uid: string, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Does nothing when there is none. */
  delete(uid: string): Promise<void>;
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
}

/** Blobs in a folder of this machine: a temporary name, fsync, rename; spread over 256 folders. */
export function diskBlobs(folder: string): BlobStore {
  const place = (uid: string) => {
    if (!/^[0-9a-f]{32}$/.test(uid)) throw new RangeError('Not the uid of a blob.');
    return path.join(folder, uid.slice(0, 2), uid);
  };
  return {
    async put(uid, content, most) {
      const target = place(uid);
      await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      const unfinished = `${target}.${randomUUID()}`;
      const file = await fs.open(unfinished, 'wx', 0o600);
      try {
        const hash = createHash('sha256');
        let size = 0;
        for await (const chunk of content as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > most) throw new BlobTooLarge(`More than ${most} bytes.`);
          hash.update(chunk);
          await file.writeFile(chunk);
        }
        await file.sync();
        await fs.rename(unfinished, target);
        await syncFolder(path.dirname(target));
        return { size, sha256: hash.digest('hex') };
      } catch (error) {
        await fs.rm(unfinished, { force: true });
        throw error;
      } finally {
        await file.close();
      }
    },
    async read(uid, range) {
      const target = place(uid);
      const exists = await fs.access(target).then(
        () => true,
        () => false,
      );
      return exists ? createReadStream(target, range) : null;
    },
    delete: (uid) => fs.rm(place(uid), { force: true }),
  };
}

/** A rename is durable once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
