import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type DataKey, UnreadableValue } from './envelope.ts';

/** Size and hash of a stored blob. Its row keeps them too, so that both can be compared. */
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
   * Writes a blob durably. A stream that fails or exceeds `maxBytes` leaves no file. Must not be called in a transaction,
   * since it opens one to read the company's key.
   *
   * @throws BlobTooLarge
   */
  put(name: BlobName, content: Readable, maxBytes: number): Promise<StoredBlob>;
  /**
   * Returns the bytes from `start` to `end` (inclusive, as in HTTP ranges), or null when there is no such blob. Reads the
   * frames of the range only. The stream fails with UnreadableValue at the first frame that was changed.
   *
   * @throws UnreadableValue when the file is not a blob of this name, was truncated, or its key was deleted
   */
  read(name: BlobName, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Deletes a blob, if it exists. */
  delete(name: BlobName): Promise<void>;
  /** Seals a blob by the company's current key. Returns false when it was sealed by that key already. */
  reseal(name: BlobName): Promise<boolean>;
  /** The uids of a company's blobs. */
  list(companyId: number): AsyncIterable<string>;
  /** Returns whether a blob of the company is sealed by this key. */
  uses(companyId: number, keyId: number): Promise<boolean>;
}

/** Gives a blob store the companies' keys. */
export interface BlobKeys {
  /** The company's current key. */
  current(companyId: number): Promise<DataKey>;
  /** @throws UnreadableValue when the company has no key of this number */
  byId(companyId: number, keyId: number): Promise<DataKey>;
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
}

/** Bytes of content in one frame. Each frame has its own tag, so that a range opens only its frames. */
export const frameBytes = 64 * 1024;
const tagBytes = 16;
const sealedFrameBytes = frameBytes + tagBytes;

/**
 * A file begins with its format (1 byte), the number of its key (8) and a random prefix (7). Frames follow: body and tag of
 * AES-256-GCM. A frame's nonce is the prefix, its number (4 bytes) and whether it is the last (1), so that frames that were
 * removed, repeated or moved do not open (STREAM, Hoang and others 2015). Header and name are authenticated with each frame.
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

const authenticatedDataOf = (header: Header, { companyId, uid }: BlobName) =>
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
    authenticatedDataOf(header, name),
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
      .setAAD(authenticatedDataOf(header, name))
      .setAuthTag(sealed.subarray(tagAt));
    return Buffer.concat([decipher.update(sealed.subarray(0, tagAt)), decipher.final()]);
  } catch {
    throw new UnreadableValue(`Frame ${number} of a blob is not as it was written.`);
  }
}

/** Splits content into pieces of one frame. Only the last is shorter; it may be empty. */
async function* inFrames(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    buffered.push(chunk);
    size += chunk.length;
    if (size <= frameBytes) continue;
    const all = Buffer.concat(buffered);
    let at = 0;
    // Keeps the last whole frame back: it may be the last of all.
    for (; all.length - at > frameBytes; at += frameBytes) yield all.subarray(at, at + frameBytes);
    buffered = [all.subarray(at)];
    size = all.length - at;
  }
  yield Buffer.concat(buffered);
}

/** Stores blobs in a local folder (temporary file, fsync, rename), in 256 subfolders per company. */
export function diskBlobs(folder: string, keys: BlobKeys): BlobStore {
  const companyFolder = (companyId: number) => {
    if (!Number.isSafeInteger(companyId) || companyId < 0) throw new RangeError('Not the id of a company.');
    return path.join(folder, String(companyId));
  };
  const place = ({ companyId, uid }: BlobName) => {
    if (!/^[0-9a-f]{32}$/.test(uid)) throw new RangeError('Not the uid of a blob.');
    return path.join(companyFolder(companyId), uid.slice(0, 2), uid);
  };

  /** With `mustExist` a blob that was deleted meanwhile is not written again. */
  async function write(
    name: BlobName,
    content: AsyncIterable<Buffer>,
    { maxBytes, mustExist = false }: { maxBytes: number; mustExist?: boolean },
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
      if (mustExist) await fs.access(target);
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

  /** Yields the content. Closes the file at the end, after an error, and when the reader stops. */
  async function* frames(file: fs.FileHandle, name: BlobName, range?: { start: number; end: number }) {
    try {
      const header = await readHeader(file);
      const key = await keys.byId(name.companyId, header.keyId);
      const sealedSize = (await file.stat()).size - headerBytes;
      const last = Math.max(0, Math.ceil(sealedSize / sealedFrameBytes) - 1);
      const size = sealedSize - (last + 1) * tagBytes;
      if (size < 0) throw new UnreadableValue('A blob was truncated.');
      const readFrame = async (number: number) => {
        const length = number === last ? sealedSize - last * sealedFrameBytes : sealedFrameBytes;
        const sealed = Buffer.alloc(length);
        const { bytesRead } = await file.read(sealed, 0, length, headerBytes + number * sealedFrameBytes);
        if (bytesRead < length) throw new UnreadableValue('A blob was truncated.');
        return openFrame(key, header, name, number, number === last, sealed);
      };
      // Always reads the last frame, which shows that the file was not truncated.
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
    const subfolders = await fs.readdir(companyFolder(companyId)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const subfolder of subfolders) {
      for (const uid of await fs.readdir(path.join(companyFolder(companyId), subfolder)))
        if (/^[0-9a-f]{32}$/.test(uid)) yield uid;
    }
  }

  return {
    put: (name, content, maxBytes) => write(name, content as AsyncIterable<Buffer>, { maxBytes }),
    async read(name, range) {
      const file = await openFile(name);
      if (!file) return null;
      const content = frames(file, name, range);
      // Reads the first frame now, so that an unreadable file fails before the response begins.
      const first = await content.next();
      const stream = Readable.from(
        (async function* () {
          if (!first.done) yield first.value;
          yield* content;
        })(),
        { objectMode: false },
      );
      // Closes the file of a stream that was never read, too.
      stream.once('close', () => void content.return(undefined));
      return stream;
    },
    delete: (name) => fs.rm(place(name), { force: true }),
    async reseal(name) {
      const { id } = await keys.current(name.companyId);
      const sealedBy = await keyIdOf(name);
      if (sealedBy === null || sealedBy === id) return false;
      const file = await openFile(name);
      if (!file) return false;
      await write(name, frames(file, name), { maxBytes: Number.POSITIVE_INFINITY, mustExist: true });
      return true;
    },
    list,
    async uses(companyId, keyId) {
      for await (const uid of list(companyId)) if ((await keyIdOf({ companyId, uid })) === keyId) return true;
      return false;
    },
  };
}

/** A rename is durable after an fsync of its folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
