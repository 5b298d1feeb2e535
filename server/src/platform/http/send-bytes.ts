import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../refusal.ts';

/** Bytes for a response, which never change. */
export interface BytesResult {
  readonly fileName: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Stands for these bytes in conditional requests. */
  readonly etag: string;
  /** Each request for a range runs the handler again, with its checks and its audit row. */
  readonly everyRange?: true;
  /** Opens a range (both ends inclusive) after the transaction; null when the bytes are gone. */
  open(range?: ByteRange): Promise<Readable | null>;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Media types that a browser may show. They cannot run scripts; anything else is downloaded. */
const safeTypes: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  ...['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/webm', 'audio/wav'],
  ...['video/mp4', 'video/webm', 'video/ogg'],
]);

/** A client that takes no bytes for this long is disconnected, ms. */
const idleMs = 120_000;

/**
 * Sends bytes, or the range that the request asks for (RFC 9110, 14.2): one range with 206, several or unknown units as a
 * whole, a range behind the end with 416. HEAD gets the headers only. With If-Range a range of other bytes is not sent.
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileName, mediaType, size, open, ...bytes }: BytesResult,
): Promise<FastifyReply> {
  const etag = `"${bytes.etag}"`;
  const isSafe = safeTypes.has(mediaType);
  reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': disposition(isSafe ? 'inline' : 'attachment', fileName),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'content-type': isSafe ? mediaType : 'application/octet-stream',
    etag,
  });
  const condition = request.headers['if-range'];
  const range = condition === undefined || condition === etag ? rangeOf(request.headers.range, size) : undefined;
  if (range === 'unsatisfiable') {
    reply.removeHeader('content-disposition');
    return reply.code(416).header('content-range', `bytes */${size}`).send();
  }
  reply.header('content-length', range ? range.end - range.start + 1 : size);
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  if (request.method === 'HEAD') return reply.send();
  const stream = await open(range);
  if (!stream) {
    reply.removeHeader('content-length').removeHeader('content-range').removeHeader('content-disposition');
    throw notFound();
  }
  // Without a listener Node destroys the connection.
  reply.raw.setTimeout(idleMs);
  return reply.send(stream);
}

/** Returns the range of the header; undefined for all bytes. */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

/** Content-Disposition with any file name (RFC 6266, RFC 8187). */
function disposition(kind: 'inline' | 'attachment', fileName: string): string {
  const ascii = fileName.replaceAll(/[^\w.() -]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
