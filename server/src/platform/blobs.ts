import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobFile, BlobFiles, BlobName, StoredName } from './blob-files.ts';
import { type DataKey, UnreadableValue } from './envelope.ts';

/** Size and hash of a stored blob. Its row keeps them too, so that both can be compared. */
export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What a content must be, to be stored. */
interface Announced {
  readonly maxBytes: number;
  /** Bytes. */
  readonly size?: number;
  /** Hexadecimal. */
  readonly sha256?: string;
}

/** Files, photos and recordings, sealed by their company's key. */
export interface BlobStore {
  /**
   * Writes a blob durably. A stream that fails, exceeds `maxBytes` or differs from what was announced leaves nothing. Must not
   * be called in a transaction, since it opens one to read the company's key.
   *
   * @throws BlobTooLarge
   * @throws BlobDiffers when size or hash are not the announced ones
   */
  put(name: BlobName, content: AsyncIterable<Buffer>, announced: Announced): Promise<StoredBlob>;
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
  /** The blobs of all companies, with the time at which they were written. */
  listWithTimes(): AsyncIterable<StoredName>;
  /** Deletes what remained of writing that did not end, if it has not changed since `before` (ms since the epoch). */
  deleteUnfinished(before: number): Promise<number>;
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

export class BlobDiffers extends Error {
  override name = 'BlobDiffers';
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

async function readHeader(file: BlobFile): Promise<Header> {
  if (file.size < headerBytes) throw new UnreadableValue('No sealed blob.');
  const bytes = await readExactly(file, 0, headerBytes);
  if (bytes[0] !== blobFormat) throw new UnreadableValue('No sealed blob.');
  return { bytes, keyId: Number(bytes.readBigUInt64BE(1)) };
}

/** Does not copy a single piece. */
const joined = ([first, ...others]: readonly Buffer[]): Buffer =>
  first && others.length === 0 ? first : Buffer.concat(first ? [first, ...others] : []);

/** @throws UnreadableValue when the file is shorter */
async function readExactly(file: BlobFile, start: number, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of file.read(start, length)) pieces.push(piece);
  const bytes = joined(pieces);
  if (bytes.length < length) throw new UnreadableValue('A blob was truncated.');
  return bytes;
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

/** The place of a frame in its blob, from 0. */
interface Frame {
  readonly number: number;
  readonly isLast: boolean;
}

/** Returns the sealed frame in pieces, its tag last: content is not copied on its way to the disk. */
function sealFrame(
  key: DataKey,
  header: Header,
  name: BlobName,
  { number, isLast }: Frame,
  plain: readonly Buffer[],
): Buffer[] {
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonceOf(header, number, isLast)).setAAD(
    authenticatedDataOf(header, name),
  );
  const body = plain.map((chunk) => cipher.update(chunk));
  cipher.final();
  return [...body, cipher.getAuthTag()];
}

function openFrame(key: DataKey, header: Header, name: BlobName, { number, isLast }: Frame, sealed: Buffer): Buffer {
  const tagAt = sealed.length - tagBytes;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonceOf(header, number, isLast), {
      authTagLength: tagBytes,
    })
      .setAAD(authenticatedDataOf(header, name))
      .setAuthTag(sealed.subarray(tagAt));
    const plain = decipher.update(sealed.subarray(0, tagAt));
    decipher.final();
    return plain;
  } catch {
    throw new UnreadableValue(`Frame ${number} of a blob is not as it was written.`);
  }
}

/** Groups content into frames of `length` bytes, without copying. Only the last is shorter; it may be empty. */
async function* inFrames(content: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer[]> {
  let frame: Buffer[] = [];
  let missing = length;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      // A full frame is kept back until there is more: it may be the last of all.
      if (missing === 0) {
        yield frame;
        [frame, missing] = [[], length];
      }
      const part = chunk.subarray(at, at + missing);
      frame.push(part);
      missing -= part.length;
      at += part.length;
    }
  }
  yield frame;
}

/** Seals blobs by their companies' keys and stores them as files. */
export function sealedBlobs(files: BlobFiles, keys: BlobKeys): BlobStore {
  /** Yields the bytes of a sealed file. */
  async function* seal(name: BlobName, key: DataKey, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const header = createHeader(key);
    yield header.bytes;
    let frame: Buffer[] | undefined;
    let number = 0;
    for await (const next of inFrames(content, frameBytes)) {
      if (frame) yield* sealFrame(key, header, name, { number: number++, isLast: false }, frame);
      frame = next;
    }
    yield* sealFrame(key, header, name, { number, isLast: true }, frame ?? []);
  }

  /** Yields the content. Closes the file at the end, after an error, and when the reader stops. `sealedBy`: its key, if it is known. */
  async function* open(
    file: BlobFile,
    name: BlobName,
    range?: { start: number; end: number },
    sealedBy?: DataKey,
  ): AsyncGenerator<Buffer> {
    try {
      const sealedSize = file.size - headerBytes;
      const last = Math.max(0, Math.ceil(sealedSize / sealedFrameBytes) - 1);
      const size = sealedSize - (last + 1) * tagBytes;
      if (size < 0) throw new UnreadableValue('A blob was truncated.');
      const placeOf = (number: number) => headerBytes + number * sealedFrameBytes;
      const start = range?.start ?? 0;
      const end = Math.min(range?.end ?? size - 1, size - 1);
      const part = (number: number, plain: Buffer) =>
        plain.subarray(Math.max(0, start - number * frameBytes), Math.max(0, end + 1 - number * frameBytes));
      // Always reads the last frame, which shows that the file was not truncated.
      const [header, sealedTail] = await Promise.all([
        readHeader(file),
        readExactly(file, placeOf(last), sealedSize - last * sealedFrameBytes),
      ]);
      const key = sealedBy ?? (await keys.byId(name.companyId, header.keyId));
      const tail = openFrame(key, header, name, { number: last, isLast: true }, sealedTail);
      const first = Math.floor(start / frameBytes);
      const after = Math.min(last, Math.floor(end / frameBytes) + 1);
      if (first < after) {
        let number = first;
        const sealed = file.read(placeOf(first), (after - first) * sealedFrameBytes);
        for await (const pieces of inFrames(sealed, sealedFrameBytes)) {
          const frame = joined(pieces);
          if (frame.length < sealedFrameBytes) throw new UnreadableValue('A blob was truncated.');
          yield part(number, openFrame(key, header, name, { number, isLast: false }, frame));
          number += 1;
        }
      }
      if (start <= end && end >= last * frameBytes) yield part(last, tail);
    } finally {
      await file.close();
    }
  }

  async function keyIdOf(name: BlobName): Promise<number | null> {
    const file = await files.open(name);
    if (!file) return null;
    try {
      return (await readHeader(file)).keyId;
    } finally {
      await file.close();
    }
  }

  /** Seals a file by another key. False: there is no such file. */
  async function sealAgain(name: BlobName, key: DataKey, sealedBy?: DataKey): Promise<boolean> {
    const file = await files.open(name);
    if (!file) return false;
    await files.write(name, seal(name, key, open(file, name, undefined, sealedBy)), { mustExist: true });
    return true;
  }

  async function* list(companyId: number): AsyncGenerator<string> {
    for await (const { uid } of files.list(companyId)) yield uid;
  }

  return {
    async put(name, content, { maxBytes, size: announcedSize, sha256: announcedHash }) {
      const hash = createHash('sha256');
      let size = 0;
      let stored: StoredBlob | undefined;
      const check = async function* () {
        for await (const chunk of content) {
          size += chunk.length;
          if (size > maxBytes) throw new BlobTooLarge(`More than ${maxBytes} bytes.`);
          hash.update(chunk);
          yield chunk;
        }
        stored = { size, sha256: hash.digest('hex') };
        if (size !== (announcedSize ?? size) || stored.sha256 !== (announcedHash ?? stored.sha256))
          throw new BlobDiffers('The content is not the one that was announced.');
      };
      const key = await keys.current(name.companyId);
      await files.write(name, seal(name, key, check()));
      if (!stored) throw new Error('A blob was stored before its content ended.');
      // The key of a long upload may have been replaced, and erased since no file that is stored used it.
      const now = await keys.current(name.companyId);
      if (now.id !== key.id) await sealAgain(name, now, key);
      return stored;
    },
    async read(name, range) {
      const file = await files.open(name);
      if (!file) return null;
      const content = open(file, name, range);
      // Reads the first frame now, so that an unreadable file fails before the response begins.
      const first = await content.next();
      const stream = Readable.from(
        (async function* () {
          if (!first.done && first.value.length > 0) yield first.value;
          yield* content;
        })(),
        { objectMode: false },
      );
      // Closes the file of a stream that was never read, too.
      stream.once('close', () => void content.return(undefined));
      return stream;
    },
    delete: (name) => files.delete(name),
    async reseal(name) {
      const key = await keys.current(name.companyId);
      const sealedBy = await keyIdOf(name);
      if (sealedBy === null || sealedBy === key.id) return false;
      return sealAgain(name, key);
    },
    list,
    listWithTimes: () => files.listWithTimes(),
    deleteUnfinished: (before) => files.deleteUnfinished(before),
    async uses(companyId, keyId) {
      for await (const uid of list(companyId)) if ((await keyIdOf({ companyId, uid })) === keyId) return true;
      return false;
    },
  };
}
