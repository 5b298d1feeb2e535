import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

/** Which company a blob belongs to, and its uid: 32 lower-case hexadecimal digits, never a typed name. */
export interface BlobName {
  readonly companyId: number;
  readonly uid: string;
}

export interface StoredName extends BlobName {
  /** Ms since the epoch. */
  readonly writtenAt: number;
}

/** A sealed blob that is open for reading. */
export interface BlobFile {
  /** Bytes. */
  readonly size: number;
  /** Yields `length` bytes from `start` on, fewer at the end of the file. */
  read(start: number, length: number): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Where sealed blobs are stored: a folder, or a bucket. The names are the same in both ({@link placeOf}). */
export interface BlobFiles {
  /**
   * Writes a file durably and in one step: content that fails leaves nothing, and keeps an earlier file of the name. With
   * `mustExist` a file that was deleted meanwhile is not written again.
   */
  write(name: BlobName, content: AsyncIterable<Buffer>, options?: { readonly mustExist?: boolean }): Promise<void>;
  /** Returns null when there is no such file. */
  open(name: BlobName): Promise<BlobFile | null>;
  /** Deletes a file, if it exists. */
  delete(name: BlobName): Promise<void>;
  /** The files of a company, or of all. Those that are being written are not among them. */
  list(companyId?: number): AsyncIterable<BlobName>;
  /** The files of all companies, with the time at which they were written, ms since the epoch. */
  listWithTimes(): AsyncIterable<StoredName>;
  /** Deletes what remained of writing that did not end, if it has not changed since `before` (ms since the epoch). */
  deleteUnfinished(before: number): Promise<number>;
}

/** Returns the path of a blob, `COMPANY/UU/UID`: 256 folders per company. */
export function placeOf({ companyId, uid }: BlobName): string {
  if (!Number.isSafeInteger(companyId) || companyId < 0) throw new RangeError('Not the id of a company.');
  if (!/^[0-9a-f]{32}$/.test(uid)) throw new RangeError('Not the uid of a blob.');
  return `${companyId}/${uid.slice(0, 2)}/${uid}`;
}

/** Returns the blob of a path, or null for other paths. */
export function nameOf(place: string): BlobName | null {
  const [, companyId, uid] = /^(\d+)\/[0-9a-f]{2}\/([0-9a-f]{32})$/.exec(place) ?? [];
  return uid === undefined ? null : { companyId: Number(companyId), uid };
}

/** The name of a file that is being written: that of the blob, and a random part. */
const unfinishedName = /^[0-9a-f]{32}\.[0-9a-f-]{36}$/;

/** Bytes that are read in one step. */
const stepBytes = 512 * 1024;

/** Bytes that are written in one step: a step per frame would wait for the disk's thread each time. */
const batchBytes = 256 * 1024;

/** Collects chunks until they have {@link batchBytes}. */
async function* inBatches(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let batch: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    batch.push(chunk);
    size += chunk.length;
    if (size < batchBytes) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Appends all chunks. The system may write a part only, e.g. shortly before the disk is full. */
async function append(file: fs.FileHandle, chunks: Buffer[]): Promise<void> {
  for (let rest = chunks; rest.length > 0; ) {
    let { bytesWritten } = await file.writev(rest);
    const next: Buffer[] = [];
    for (const chunk of rest) {
      if (bytesWritten < chunk.length) next.push(chunk.subarray(bytesWritten));
      bytesWritten = Math.max(0, bytesWritten - chunk.length);
    }
    rest = next;
  }
}

/** Stores blobs in a local folder (temporary file, fsync, rename). */
export function folderFiles(folder: string): BlobFiles {
  const fileOf = (name: BlobName) => path.join(folder, ...placeOf(name).split('/'));

  /** `COMPANY/UU/NAME` of every file. */
  async function* places(companyId?: number): AsyncGenerator<string> {
    const companies = companyId === undefined ? await namesIn(folder) : [String(companyId)];
    for (const company of companies) {
      for (const subfolder of await namesIn(path.join(folder, company))) {
        for (const name of await namesIn(path.join(folder, company, subfolder)))
          yield `${company}/${subfolder}/${name}`;
      }
    }
  }

  /** When a file was changed, ms since the epoch; null when it does not exist any more. */
  async function changedAt(place: string): Promise<number | null> {
    const found = await fs.stat(path.join(folder, place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return found && found.mtimeMs;
  }

  async function* read(file: fs.FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
    for (let at = start; at < start + length; ) {
      const step = Buffer.allocUnsafe(Math.min(stepBytes, start + length - at));
      const { bytesRead } = await file.read(step, 0, step.length, at);
      if (bytesRead === 0) return;
      yield step.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  return {
    async write(name, content, { mustExist = false } = {}) {
      const target = fileOf(name);
      await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      const unfinished = `${target}.${randomUUID()}`;
      const file = await fs.open(unfinished, 'wx', 0o600);
      try {
        for await (const batch of inBatches(content)) await append(file, batch);
        await file.sync();
        if (mustExist) await fs.access(target);
        await fs.rename(unfinished, target);
        await syncFolder(path.dirname(target));
      } catch (error) {
        await fs.rm(unfinished, { force: true });
        throw error;
      } finally {
        await file.close();
      }
    },
    async open(name) {
      const file = await fs.open(fileOf(name), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      if (!file) return null;
      const { size } = await file.stat();
      return { size, read: (start, length) => read(file, start, length), close: () => file.close() };
    },
    delete: (name) => fs.rm(fileOf(name), { force: true }),
    async *list(companyId) {
      for await (const place of places(companyId)) {
        const name = nameOf(place);
        if (name) yield name;
      }
    },
    async *listWithTimes() {
      for await (const place of places()) {
        const name = nameOf(place);
        const writtenAt = name && (await changedAt(place));
        if (name && writtenAt !== null) yield { ...name, writtenAt };
      }
    },
    async deleteUnfinished(before) {
      let deleted = 0;
      for await (const place of places()) {
        if (!unfinishedName.test(path.basename(place))) continue;
        const writtenAt = await changedAt(place);
        if (writtenAt === null || writtenAt >= before) continue;
        await fs.rm(path.join(folder, place), { force: true });
        deleted += 1;
      }
      return deleted;
    },
  };
}

/** Returns the names in a folder; none when it does not exist or is a file. */
async function namesIn(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
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
