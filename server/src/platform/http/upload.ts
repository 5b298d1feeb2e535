import type { IncomingMessage, Server } from 'node:http';
import type { Upload } from '@roomside/contract/call.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireNoTransaction } from '../database/scope.ts';
import { Refusal } from '../refusal.ts';

/** The body of a request that is streamed. */
export interface UploadBody {
  /** The declared media type, in lower case and without parameters. */
  readonly mediaType: string;
  /** Content-Length, bytes; undefined when it is not known. */
  readonly size: number | undefined;
  /** The SHA-256 of Content-Digest (RFC 9530), hexadecimal; undefined without one. */
  readonly sha256: string | undefined;
  /** The header Content-Type of a form that contains the file (form.ts); undefined when the body is the file. */
  readonly form: string | undefined;
  /**
   * The bytes. A slow reader slows the client down. Must not be read in a transaction.
   *
   * @throws Refusal `too-slow` when the client stops sending
   */
  readonly content: AsyncIterable<Buffer>;
}

/** Time for a body that is parsed, ms. */
const bodyTimeoutMs = 60_000;
/** A streamed body must bring `minBytes` in each `windowMs` of waiting for the client. */
export const progress = { windowMs: 30_000, minBytes: 16 * 1024 } as const;

/** What a form may have beside its file, bytes. */
const formBytes = 64 * 1024;

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Ends requests whose body takes longer than a minute, instead of the server's `requestTimeout`, which would end long
 * uploads too.
 */
export function limitBodyTime<S extends Server>(server: S, timeoutMs = bodyTimeoutMs): S {
  server.requestTimeout = 0;
  server.prependListener('request', (request, response) => {
    if (request.headers['transfer-encoding'] === undefined && !Number(request.headers['content-length'])) return;
    const timer = setTimeout(() => {
      if (!response.headersSent) request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      request.socket.destroySoon();
    }, timeoutMs);
    timers.set(request, timer);
    const clear = () => clearTimeout(timer);
    request.once('end', clear);
    request.once('close', clear);
  });
  return server;
}

/** Lets routes in this scope get their body as a stream: Fastify parses none. */
export function acceptStreams(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Checks the headers of an upload and returns its body, of which nothing has been read.
 *
 * @throws Refusal `too-large`, `wrong-media` or `malformed`
 */
export function uploadOf({ raw }: FastifyRequest, { maxBytes, types, form }: Upload): UploadBody {
  const { 'content-type': type = '', 'content-length': length, 'content-digest': digest } = raw.headers;
  const mediaType = (type.split(';')[0] ?? '').trim().toLowerCase();
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType) || mediaType.length > 100) throw new Refusal('wrong-media');
  if (!types.some((accepted) => matches(accepted, mediaType))) throw new Refusal('wrong-media');
  const isForm = form === true && mediaType === 'multipart/form-data';
  const size = length === undefined ? undefined : Number(length);
  if (size !== undefined && size > maxBytes + (isForm ? formBytes : 0)) throw new Refusal('too-large');
  return {
    mediaType,
    size,
    sha256: digest === undefined ? undefined : sha256Of(String(digest)),
    form: isForm ? type : undefined,
    content: readOnce(raw),
  };
}

function matches(accepted: string, mediaType: string): boolean {
  const [type, subtype] = accepted.split('/');
  const [givenType, givenSubtype] = mediaType.split('/');
  return (type === '*' || type === givenType) && (subtype === '*' || subtype === givenSubtype);
}

function sha256Of(digest: string): string {
  const [, base64 = ''] = /sha-256=:([A-Za-z0-9+/]{43}=):/.exec(digest) ?? [];
  if (base64 === '') throw new Refusal('malformed');
  return Buffer.from(base64, 'base64').toString('hex');
}

async function* readOnce(request: IncomingMessage): AsyncGenerator<Buffer> {
  requireNoTransaction('A body was read');
  clearTimeout(timers.get(request));
  yield* withProgress(request);
}

/**
 * Yields the chunks of a client. Only the time in which it waits for the client counts.
 *
 * @throws Refusal `too-slow`
 */
export async function* withProgress(
  source: AsyncIterable<Buffer>,
  { windowMs, minBytes }: { windowMs: number; minBytes: number } = progress,
): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let left = windowMs;
  let received = 0;
  try {
    for (;;) {
      const since = performance.now();
      const next = await within(left, chunks.next());
      if (next.done) return;
      left -= performance.now() - since;
      received += next.value.length;
      if (received >= minBytes) [received, left] = [0, windowMs];
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that waits for the client ends with the connection.
    void chunks.return?.();
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal('too-slow')), Math.max(0, ms));
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
