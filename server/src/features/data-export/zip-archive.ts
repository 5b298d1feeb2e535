import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { csvLine } from '../../platform/csv.ts';

/** An entry of an archive. */
export interface Entry {
  /** The path in the archive. */
  readonly path: string;
  readonly content: AsyncIterable<Buffer>;
  /** The time that the entry shows. */
  readonly at: Date;
  /** False for media, which is compressed already. */
  readonly compress: boolean;
  /** After the content was read: what is wrong with it; '' = nothing. */
  problem?(): string;
}

export interface ZipArchive {
  /** The bytes of the archive. They must be read while entries are added. */
  readonly bytes: AsyncIterable<Buffer>;
  /**
   * Writes an entry. Resolves when its content was read.
   *
   * @throws the error of its content, or of {@link abort}
   */
  add(entry: Entry): Promise<void>;
  /** Notes content that could not be read in the manifest. */
  addMissing(path: string, problem: string): void;
  /** Writes the manifest, with the size and hash of each entry, and the archive's directory. */
  end(at: Date): Promise<void>;
  /** Ends the bytes, and what is being added, with an error. */
  abort(error: Error): void;
}

/**
 * A ZIP archive that is written as a stream: sizes and checksums follow each entry, and numbers have 64 bits where they need them. For
 * each entry some hundred bytes are kept until the end, and nothing of its content.
 */
export function zipArchive(): ZipArchive {
  const zip = new ZipFile();
  // The declared type has no destroy(); the library's stream is a PassThrough.
  const output = zip.outputStream as Readable;
  let fail: ((error: Error) => void) | undefined;
  zip.on('error', (error: Error) => void output.destroy(error));
  output.on('error', (error) => fail?.(error));
  const manifest = longText();
  manifest.add(csvLine(['path', 'size', 'sha256', 'problem']));

  async function write({ path, content, at, compress }: Entry): Promise<{ size: number; sha256: string }> {
    const hash = createHash('sha256');
    let size = 0;
    const measured = async function* () {
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    };
    const source = Readable.from(measured(), { objectMode: false });
    try {
      await new Promise<void>((resolve, reject) => {
        fail = reject;
        source.once('end', resolve).once('error', reject);
        if (output.errored) throw output.errored;
        zip.addReadStreamLazy(path, { mtime: at, mode: 0o100600, compress }, givenOnce(source));
      });
    } finally {
      fail = undefined;
      source.destroy();
    }
    return { size, sha256: hash.digest('hex') };
  }

  return {
    bytes: output,
    async add(entry) {
      const { size, sha256 } = await write(entry);
      manifest.add(csvLine([entry.path, size, sha256, entry.problem?.() ?? '']));
    },
    addMissing: (path, problem) => manifest.add(csvLine([path, '', '', problem])),
    async end(at) {
      await write({ path: 'manifest.csv', content: manifest.read(), at, compress: true });
      zip.end();
    },
    abort: (error) => void output.destroy(error),
  };
}

/** The library keeps this function for each entry until the end: afterwards it does not keep the content. */
function givenOnce(source: Readable): (give: (error: unknown, stream: Readable) => void) => void {
  let pending: Readable | undefined = source;
  return (give) => {
    if (pending) give(null, pending);
    pending = undefined;
  };
}

/** Lines are kept in blocks of this size, bytes. */
const blockBytes = 64 * 1024;

/** A text that grows. */
function longText() {
  const full: Buffer[] = [];
  let lines = '';
  return {
    add(line: string): void {
      lines += line;
      if (lines.length < blockBytes) return;
      full.push(Buffer.from(lines));
      lines = '';
    },
    async *read(): AsyncGenerator<Buffer> {
      yield* full;
      yield Buffer.from(lines);
    },
  };
}
