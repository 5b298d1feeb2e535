import { newUid } from '../access-code.ts';
import type { BlobName } from '../blob-files.ts';
import { BlobDiffers, type BlobStore, BlobTooLarge, type StoredBlob } from '../blobs.ts';
import { isRolledBack } from '../database/is-rolled-back.ts';
import { mediaTypeOf, sampleBytes } from '../media-type.ts';
import { Refusal } from '../refusal.ts';
import type { UploadBody } from './upload.ts';

/** A stored upload, for its row. */
export interface StoredUpload extends StoredBlob {
  readonly uid: string;
  /** By the content, not as declared. */
  readonly mediaType: string;
}

interface Wish {
  readonly companyId: number;
  readonly maxBytes: number;
  /** The only type that the content may have. */
  readonly mediaType?: string;
}

/**
 * Stores the body of an upload as a blob, then its row by `commit`. Nothing is left of an upload that is refused, or for which `commit`
 * returns another `fileUid` or none.
 *
 * @throws Refusal `too-large`, `wrong-media`, `cut-off` or `too-slow`
 */
export async function storeUpload<T extends { fileUid: string | null }>(
  blobs: BlobStore,
  upload: UploadBody,
  { companyId, maxBytes, mediaType: only }: Wish,
  commit: (stored: StoredUpload) => Promise<T>,
): Promise<T> {
  const name = { companyId, uid: newUid() };
  const { sample, content } = await peek(upload.content, sampleBytes);
  const mediaType = await mediaTypeOf(sample, upload.mediaType);
  if (only !== undefined && mediaType !== only) throw new Refusal('wrong-media');
  const { size, sha256 } = upload;
  const announced = { maxBytes, ...(size !== undefined && { size }), ...(sha256 && { sha256 }) };
  const stored = await blobs.put(name, content, announced).catch((error: unknown) => {
    if (error instanceof BlobTooLarge) throw new Refusal('too-large');
    throw error instanceof BlobDiffers ? new Refusal('cut-off') : error;
  });
  return withRow(
    blobs,
    name,
    () => commit({ ...stored, uid: name.uid, mediaType }),
    ({ fileUid }) => fileUid,
  );
}

/**
 * Stores the row of a blob by `commit`. Deletes the blob when it is certain that no row names it: `uidOf` the result is another one, or
 * nothing was committed. A connection that breaks may have committed, and a retry finds that row: what has none then is deleted by the sweep.
 */
export async function withRow<T>(
  blobs: Pick<BlobStore, 'delete'>,
  name: BlobName,
  commit: () => Promise<T>,
  uidOf: (result: T) => string | null,
): Promise<T> {
  // The sweep deletes what could not be deleted here, too.
  const drop = () => blobs.delete(name).catch(() => undefined);
  try {
    const result = await commit();
    if (uidOf(result) !== name.uid) await drop();
    return result;
  } catch (error) {
    if (isRolledBack(error)) await drop();
    throw error;
  }
}

/** Reads at least `bytes` bytes, if there are as many. `content` yields them again, with the rest. */
async function peek(
  source: AsyncIterable<Buffer>,
  bytes: number,
): Promise<{ sample: Buffer; content: AsyncGenerator<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  for (let size = 0; size < bytes; ) {
    const next = await chunks.next();
    if (next.done) break;
    read.push(next.value);
    size += next.value.length;
  }
  const content = (async function* () {
    try {
      yield* read;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      void chunks.return?.();
    }
  })();
  return { sample: Buffer.concat(read).subarray(0, bytes), content };
}
