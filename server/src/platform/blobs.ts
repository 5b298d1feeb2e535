import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type DataKey, UnreadableValue } from './envelope.ts';

/** What a stored blob turned out to be; a row keeps it, so that both can be compared (I5 of the invariants). */
export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Which company a blob belongs to, and its uid: 32 lower-case hexadecimal digits, never a typed name. */
export interface BlobName {
  readonly companyId: number;
  readonly uid: string;
}

/** Files, photos and recordings, sealed by their company's key. */
export interface BlobStore {
  /**
   * Writes a whole blob durably before it returns; a stream that breaks off or grows over `maxBytes` bytes leaves nothing. Reads
   * the company's key in a separate transaction: not from within another one.
   *
   * @throws BlobTooLarge
   */
  put(name: BlobName, content: Readable, maxBytes: number): Promise<StoredBlob>;
  /**
   * The bytes from `start` to `end` (inclusive, as in HTTP ranges); null when there is no such blob. Only what the range
   * touches is read and opened. The stream fails with UnreadableValue at the first frame that is not as it was written.
   *
   * @throws UnreadableValue when it is no blob of this name, was cut, or its key is gone
   */
  read(name: BlobName, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Does nothing when there is none. */
  delete(name: BlobName): Promise<void>;
  /** Seals a blob again when another key than the company's present one seals it; returns whether it did. */
  reseal(name: BlobName): Promise<boolean>;
  /** The uids of a company's blobs. */
  list(companyId: number): AsyncIterable<string>;
  /** Whether a blob of the company names this key. */
  uses(companyId: number, keyId: number): Promise<boolean>;
}

/** Where a store has the companies' keys from. */
export interface BlobKeys {
  /** The key that seals what the company writes now. */
  current(companyId: number): Promise<DataKey>;
  /** @throws UnreadableValue when the company has no key of this number */
  byId(companyId: number, keyId: number): Promise<DataKey>;
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
}

/** Bytes of content in one frame; each frame has its tag, so that a range opens only its frames. */
export const frameBytes = 64 * 1024;
const tagBytes = 16;
const sealedFrameBytes = frameBytes + tagBytes;

/**
 * A file begins with its format (1 byte), the number of its key (8) and a random prefix (7). Frames follow: body and tag of
 * AES-256-GCM. A frame's nonce is the prefix, its number (4 bytes) and whether it is the last (1), so that frames which were
 * cut off, repeated or moved do not open (STREAM, Hoang and others 2015). Header and name are authenticated with each frame.
 */
const blobFormat = 1;
const keyBytes = 8;
const prefixBytes = 7;
const headerBytes = 1 + keyBytes + prefixBytes;

interface Header {
  readonly bytes: Buffer;
  readonly keyId: number;
}

function createHeader(key: DataKey): Header {
  const bytes = Buffer.alloc(headerBytes);
  bytes[0] = blobFormat;
  bytes.writeBigUInt64BE(BigInt(key.id), 1);
  randomBytes(prefixBytes).copy(bytes, 1 + keyBytes);
  return { bytes, keyId: key.id };
}

async function readHeader(file: fs.FileHandle): Promise<Header> {
  const bytes = Buffer.alloc(headerBytes);
  const { bytesRead } = await file.read(bytes, 0, headerBytes, 0);
  if (bytesRead < headerBytes || bytes[0] !== blobFormat) throw new UnreadableValue('No sealed blob.');
  return { bytes, keyId: Number(bytes.readBigUInt64BE(1)) };
}

function nonceOf(header: Header, number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  header.bytes.copy(nonce, 0, 1 + keyBytes);
  nonce.writeUInt32BE(number, prefixBytes);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

const boundOf = (header: Header, { companyId, uid }: BlobName) =>
  Buffer.concat([header.bytes, Buffer.from(`blob ${companyId}/${uid}`)]);

function sealFrame(
  key: DataKey,
  header: Header,
  name: BlobName,
  number: number,
  isLast: boolean,
  plain: Buffer,
): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonceOf(header, number, isLast)).setAAD(
    boundOf(header, name),
  );
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function openFrame(
  key: DataKey,
  header: Header,
  name: BlobName,
  number: number,
  isLast: boolean,
  sealed: Buffer,
): Buffer {
  const tagAt = sealed.length - tagBytes;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonceOf(header, number, isLast), {
      authTagLength: tagBytes,
    })
      .setAAD(boundOf(header, name))
      .setAuthTag(sealed.subarray(tagAt));
    return Buffer.concat([decipher.update(sealed.subarray(0, tagAt)), decipher.final()]);
  } catch {
    throw new UnreadableValue(`Frame ${number} of a blob is not as it was written.`);
  }
}

/** What comes, in pieces of exactly one frame; only the last is shorter, and it may be empty. */
async function* inFrames(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    size += chunk.length;
    if (size <= frameBytes) continue;
    const all = Buffer.concat(waiting);
    let at = 0;
    // The last whole frame waits: it may be the last of all.
    for (; all.length - at > frameBytes; at += frameBytes) yield all.subarray(at, at + frameBytes);
    waiting = [all.subarray(at)];
    size = all.length - at;
  }
  yield Buffer.concat(waiting);
}

/** Blobs in a folder of this machine: a temporary name, fsync, rename; spread over 256 folders for each company. */
export function diskBlobs(folder: string, keys: BlobKeys): BlobStore {
  const home = (companyId: number) => {
    if (!Number.isSafeInteger(companyId) || companyId < 0) throw new RangeError('Not the id of a company.');
    return path.join(folder, String(companyId));
  };
  const place = ({ companyId, uid }: BlobName) => {
    if (!/^[0-9a-f]{32}$/.test(uid)) throw new RangeError('Not the uid of a blob.');
    return path.join(home(companyId), uid.slice(0, 2), uid);
  };

  /** `again` = a blob that was deleted meanwhile does not come back. */
  async function write(
    name: BlobName,
    content: AsyncIterable<Buffer>,
    { maxBytes, again = false }: { maxBytes: number; again?: boolean },
  ): Promise<StoredBlob> {
    const target = place(name);
    const key = await keys.current(name.companyId);
    await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    const unfinished = `${target}.${randomUUID()}`;
    const file = await fs.open(unfinished, 'wx', 0o600);
    try {
      const header = createHeader(key);
      await file.writeFile(header.bytes);
      const hash = createHash('sha256');
      let size = 0;
      const count = async function* () {
        for await (const chunk of content) {
          size += chunk.length;
          if (size > maxBytes) throw new BlobTooLarge(`More than ${maxBytes} bytes.`);
          hash.update(chunk);
          yield chunk;
        }
      };
      let frame: Buffer | undefined;
      let number = 0;
      for await (const next of inFrames(count())) {
        if (frame) await file.writeFile(sealFrame(key, header, name, number++, false, frame));
        frame = next;
      }
      await file.writeFile(sealFrame(key, header, name, number, true, frame ?? Buffer.alloc(0)));
      await file.sync();
      if (again) await fs.access(target);
      await fs.rename(unfinished, target);
      await syncFolder(path.dirname(target));
      return { size, sha256: hash.digest('hex') };
    } catch (error) {
      await fs.rm(unfinished, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  async function openFile(name: BlobName): Promise<fs.FileHandle | null> {
    try {
      return await fs.open(place(name), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Closes the file when it ends, fails, or is not read on. */
  async function* frames(file: fs.FileHandle, name: BlobName, range?: { start: number; end: number }) {
    try {
      const header = await readHeader(file);
      const key = await keys.byId(name.companyId, header.keyId);
      const sealedSize = (await file.stat()).size - headerBytes;
      const last = Math.max(0, Math.ceil(sealedSize / sealedFrameBytes) - 1);
      const size = sealedSize - (last + 1) * tagBytes;
      if (size < 0) throw new UnreadableValue('A blob was cut.');
      const readFrame = async (number: number) => {
        const length = number === last ? sealedSize - last * sealedFrameBytes : sealedFrameBytes;
        const sealed = Buffer.alloc(length);
        const { bytesRead } = await file.read(sealed, 0, length, headerBytes + number * sealedFrameBytes);
        if (bytesRead < length) throw new UnreadableValue('A blob was cut.');
        return openFrame(key, header, name, number, number === last, sealed);
      };
      // Whatever the range: the last frame shows that nothing was cut off behind it.
      const tail = await readFrame(last);
      const start = range?.start ?? 0;
      const end = Math.min(range?.end ?? size - 1, size - 1);
      for (let number = Math.floor(start / frameBytes); number * frameBytes <= end; number += 1) {
        const plain = number === last ? tail : await readFrame(number);
        const from = Math.max(0, start - number * frameBytes);
        const part = plain.subarray(from, Math.max(from, end + 1 - number * frameBytes));
        if (part.length > 0) yield part;
      }
    } finally {
      await file.close();
    }
  }

  async function keyIdOf(name: BlobName): Promise<number | null> {
    const file = await openFile(name);
    if (!file) return null;
    try {
      return (await readHeader(file)).keyId;
    } finally {
      await file.close();
    }
  }

  async function* list(companyId: number): AsyncGenerator<string> {
    const spread = await fs.readdir(home(companyId)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const part of spread) {
      for (const uid of await fs.readdir(path.join(home(companyId), part))) if (/^[0-9a-f]{32}$/.test(uid)) yield uid;
    }
  }

  return {
    put: (name, content, maxBytes) => write(name, content as AsyncIterable<Buffer>, { maxBytes }),
    async read(name, range) {
      const file = await openFile(name);
      if (!file) return null;
      const content = frames(file, name, range);
      // What is wrong with the file itself shows before the first byte is sent.
      const first = await content.next();
      const stream = Readable.from(
        (async function* () {
          if (!first.done) yield first.value;
          yield* content;
        })(),
        { objectMode: false },
      );
      // Also of a stream that was never read.
      stream.once('close', () => void content.return(undefined));
      return stream;
    },
    delete: (name) => fs.rm(place(name), { force: true }),
    async reseal(name) {
      const { id } = await keys.current(name.companyId);
      const was = await keyIdOf(name);
      if (was === null || was === id) return false;
      const file = await openFile(name);
      if (!file) return false;
      await write(name, frames(file, name), { maxBytes: Number.POSITIVE_INFINITY, again: true });
      return true;
    },
    list,
    async uses(companyId, keyId) {
      for await (const uid of list(companyId)) if ((await keyIdOf({ companyId, uid })) === keyId) return true;
      return false;
    },
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
