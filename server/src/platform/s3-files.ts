import type { MultipartUpload, S3Client } from '@aws-sdk/client-s3';
import { type BlobFiles, type BlobName, nameOf, placeOf, type StoredName } from './blob-files.ts';
import type { Settings } from './settings.ts';

export type S3Settings = Pick<
  Settings,
  'S3_BUCKET' | 'S3_ENDPOINT' | 'S3_REGION' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY' | 'S3_PATH_STYLE'
>;

/** Bytes of one part of an upload, which are kept in memory. S3 allows 10,000 parts, so that a file may have 80 GB. */
const partBytes = 8 * 1024 * 1024;

/** Stores blobs in a bucket of S3 or of a compatible server. The SDK is loaded here, so that others do not need it. */
export async function s3Files(settings: S3Settings): Promise<BlobFiles> {
  const sdk = await import('@aws-sdk/client-s3');
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const client: S3Client = new sdk.S3Client({
    region: settings.S3_REGION,
    forcePathStyle: settings.S3_PATH_STYLE,
    // Compatible servers do not know the newer checksums. Each frame is authenticated anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A connection without progress ends; the whole request may last.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
    ...(endpoint !== null && { endpoint }),
    ...(accessKeyId !== null && secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
  });
  const Bucket = settings.S3_BUCKET ?? '';
  const at = (name: BlobName) => ({ Bucket, Key: placeOf(name) });

  async function head(name: BlobName) {
    return client.send(new sdk.HeadObjectCommand(at(name))).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  }

  async function requireStored(name: BlobName): Promise<void> {
    if (!(await head(name))) throw new Error('The blob was deleted meanwhile.');
  }

  async function upload(name: BlobName, parts: AsyncGenerator<Buffer>, first: Buffer, before: () => Promise<void>) {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at(name)));
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    const send = async (Body: Buffer) => {
      const PartNumber = Parts.length + 1;
      const { ETag } = await client.send(new sdk.UploadPartCommand({ ...at(name), UploadId, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
    };
    try {
      await send(first);
      for await (const part of parts) await send(part);
      await before();
      await client.send(new sdk.CompleteMultipartUploadCommand({ ...at(name), UploadId, MultipartUpload: { Parts } }));
    } catch (error) {
      await client.send(new sdk.AbortMultipartUploadCommand({ ...at(name), UploadId })).catch(() => {});
      throw error;
    }
  }

  async function* read(name: BlobName, IfMatch: string | undefined, start: number, length: number) {
    const Range = `bytes=${start}-${start + length - 1}`;
    const { Body } = await client.send(new sdk.GetObjectCommand({ ...at(name), Range, IfMatch }));
    for await (const chunk of Body as AsyncIterable<Uint8Array>) yield Buffer.from(chunk);
  }

  async function* stored(companyId?: number): AsyncGenerator<StoredName> {
    const within = companyId === undefined ? {} : { Prefix: `${companyId}/` };
    for (let ContinuationToken: string | undefined; ; ) {
      const page = await client.send(new sdk.ListObjectsV2Command({ Bucket, ...within, ContinuationToken }));
      for (const { Key = '', LastModified } of page.Contents ?? []) {
        const name = nameOf(Key);
        // Without a time it counts as new.
        if (name) yield { ...name, writtenAt: LastModified?.getTime() ?? Number.POSITIVE_INFINITY };
      }
      if (!page.IsTruncated) return;
      ContinuationToken = page.NextContinuationToken;
    }
  }

  /** The multipart uploads that were neither completed nor aborted. */
  async function* uploads(): AsyncGenerator<MultipartUpload> {
    for (let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}; ; ) {
      const page = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, ...after }));
      yield* page.Uploads ?? [];
      if (!page.IsTruncated) return;
      after = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  return {
    async write(name, content, { mustExist = false } = {}) {
      const before = () => (mustExist ? requireStored(name) : Promise.resolve());
      const parts = inParts(content);
      const { value: first = Buffer.alloc(0) } = await parts.next();
      if (first.length === partBytes) return upload(name, parts, first, before);
      // The content has ended: it fails here or is whole.
      await parts.next();
      await before();
      await client.send(new sdk.PutObjectCommand({ ...at(name), Body: first }));
    },
    async open(name) {
      const found = await head(name);
      if (!found) return null;
      const size = found.ContentLength ?? 0;
      return {
        size,
        read: (start, length) => read(name, found.ETag, start, Math.min(length, size - start)),
        close: async () => {},
      };
    },
    async delete(name) {
      await client.send(new sdk.DeleteObjectCommand(at(name)));
    },
    async *list(companyId) {
      for await (const { companyId: company, uid } of stored(companyId)) yield { companyId: company, uid };
    },
    listWithTimes: () => stored(),
    async deleteUnfinished(before) {
      let deleted = 0;
      for await (const { Key = '', UploadId, Initiated } of uploads()) {
        if (!nameOf(Key) || !Initiated || Initiated.getTime() >= before) continue;
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
        deleted += 1;
      }
      return deleted;
    },
  };
}

const isMissing = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404;

/** Collects content in parts of `partBytes`. The last is shorter, and is not yielded when it is empty. */
async function* inParts(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= partBytes) {
      const all = Buffer.concat(chunks);
      yield all.subarray(0, partBytes);
      chunks = [all.subarray(partBytes)];
      size -= partBytes;
    }
  }
  if (size > 0) yield Buffer.concat(chunks);
  return undefined;
}
