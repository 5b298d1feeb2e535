import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyInstance } from '@fastify/busboy';
import { Refusal } from '../refusal.ts';
import type { UploadBody } from './upload.ts';

interface FileOfForm {
  /** The fields before the file, by name; empty for a body that is the file itself. */
  readonly fields: ReadonlyMap<string, string>;
  readonly fileName: string | undefined;
  /** The file alone. Its size is not known before its end. */
  readonly upload: UploadBody;
}

/** A form is small beside its file. Sizes in bytes. */
const limits = { files: 1, fields: 10, parts: 11, fieldSize: 200, headerPairs: 20, headerSize: 4096 } as const;

/**
 * Returns the first file of a body of multipart/form-data (RFC 7578) as a stream; any other body is returned as it is. What follows the
 * file is read and ignored.
 *
 * @throws Refusal `malformed` for a form without a boundary or a file; reading the file throws `cut-off` for an incomplete form
 */
export async function fileOf(upload: UploadBody): Promise<FileOfForm> {
  if (upload.form === undefined) return { fields: new Map(), fileName: undefined, upload };
  const parser = await createParser(upload.form);
  const stop = new AbortController();
  const fields = new Map<string, string>();
  parser.on('field', (name, value) => fields.set(name, value));
  const found = Promise.withResolvers<Pick<FileOfForm, 'fileName'> & { file: Readable; mediaType: string }>();
  parser.on('file', (_field, file, fileName: string | undefined, _encoding, mediaType) => {
    // An incomplete form is reported by `ended`, which destroys the file.
    file.on('error', () => undefined);
    found.resolve({ file, fileName, mediaType });
  });
  const ended = parsed(upload.content, parser, stop.signal);
  ended.then(
    () => found.reject(new Refusal('malformed')),
    (error: Error) => found.reject(error),
  );
  const { file, fileName, mediaType } = await found.promise;
  ended.catch((error: Error) => file.destroy(error));
  return {
    fields,
    fileName,
    upload: { mediaType, size: undefined, sha256: undefined, form: undefined, content: contentOf(file, ended, stop) },
  };
}

async function createParser(contentType: string): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw new Refusal('malformed');
  }
}

/** Resolves at the end of the form. The client's own errors stay as they are; those of the form are `cut-off`. */
async function parsed(content: AsyncIterable<Buffer>, parser: BusboyInstance, signal: AbortSignal): Promise<void> {
  let failed: unknown;
  const source = async function* () {
    try {
      yield* content;
    } catch (error) {
      failed = error;
      throw error;
    }
  };
  try {
    await pipeline(Readable.from(source()), parser, { signal });
  } catch {
    throw failed ?? new Refusal('cut-off');
  }
}

async function* contentOf(file: Readable, ended: Promise<void>, stop: AbortController): AsyncGenerator<Buffer> {
  try {
    yield* file;
    await ended;
  } catch {
    stop.abort();
    await ended;
    throw new Refusal('cut-off');
  } finally {
    stop.abort();
  }
}
