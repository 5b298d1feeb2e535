import { type CsvColumns, maxColumns, sampleRows } from '@roomside/contract/csv-import/calls.ts';
import { type Encoding, type Separator, separators } from '@roomside/contract/csv-import/reading.ts';
import type { BlobName } from '../../platform/blob-files.ts';
import type { BlobStore } from '../../platform/blobs.ts';
import { CsvReader, type CsvRecord } from '../../platform/csv-reader.ts';
import { Refusal } from '../../platform/refusal.ts';

/** How a file is divided into records. */
export interface FileRules {
  readonly encoding: Encoding;
  readonly separator: Separator;
}

/** Bytes of a file by which its columns are found. */
const headBytes = 256 * 1024;
/** Records that a separator is judged by. */
const judgedRecords = 50;

/** Files of other kinds that are often given the name of a CSV file, by their first bytes, hexadecimal. */
const otherKinds = ['504b0304', '504b0506', 'd0cf11e0', '25504446', '1f8b', '377abcaf', '52617221', '7b5c727466'];

/** Watches the bytes of an upload: finds their encoding, and whether they end with a line break. */
export class UploadWatch {
  #head = Buffer.alloc(0);
  #last = Buffer.alloc(0);
  readonly #utf8 = new TextDecoder('utf-8');
  /** Characters beyond ASCII when the bytes are read as UTF-8, and bytes that cannot be. */
  #read = 0;
  #unreadable = 0;

  /** Yields the bytes. @throws Refusal `not-csv` for an archive, a workbook or another binary file */
  async *watch(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#add(chunk);
      yield chunk;
    }
    if (this.#head.length === 0 || this.#isBinary()) throw new Refusal('not-csv');
  }

  get encoding(): Encoding {
    const head = this.#head;
    if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
    if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
    if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
    const [even, odd] = zeros(head);
    if (odd > head.length / 5 && even <= odd / 10) return 'utf-16le';
    if (even > head.length / 5 && odd <= even / 10) return 'utf-16be';
    // Some bytes that were spoilt do not make a text of another encoding. In such a text, hardly any byte can be read as UTF-8.
    return this.#unreadable <= this.#read ? 'utf-8' : 'windows-1252';
  }

  /** Whether the last row has a line break behind it. */
  get hasEnd(): boolean {
    return /[\n\r]/.test(this.#last.toString('latin1'));
  }

  #add(chunk: Buffer): void {
    if (this.#head.length < headBytes) {
      const isFirst = this.#head.length < 8;
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, headBytes - this.#head.length)]);
      // Before the rest is received and stored.
      if (isFirst && this.#head.length >= 8 && this.#isBinary()) throw new Refusal('not-csv');
    }
    this.#last = chunk.length >= 2 ? Buffer.from(chunk.subarray(-2)) : Buffer.concat([this.#last, chunk]).subarray(-2);
    this.#count(chunk);
  }

  /** A character that has begun is not counted: the file may be cut off in it. */
  #count(chunk: Buffer): void {
    const text = this.#utf8.decode(chunk, { stream: true });
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0xfffd) this.#unreadable += 1;
      else if (code > 0x7f) this.#read += 1;
    }
  }

  #isBinary(): boolean {
    const start = this.#head.subarray(0, 8).toString('hex');
    if (otherKinds.some((kind) => start.startsWith(kind))) return true;
    return !this.encoding.startsWith('utf-16') && this.#head.includes(0);
  }
}

/** Zero bytes at even and at odd places. */
function zeros(bytes: Buffer): readonly [number, number] {
  let [even, odd] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  return [even, odd];
}

/** A record with its number in the file, from 0. */
export interface NumberedRecord extends CsvRecord {
  readonly no: number;
}

/** Records that were read, and how many bytes of the file with them. */
export interface Records {
  readonly records: readonly NumberedRecord[];
  readonly bytes: number;
}

/**
 * Reads the records of bytes in their order. The line `sep=;`, by which Excel knows the separator, is no record. When the bytes are the head of a file,
 * a record that is too long and does not end in it is one without cells.
 */
async function* recordsOf(
  content: AsyncIterable<Buffer>,
  { encoding, separator }: FileRules,
  isWhole = true,
): AsyncGenerator<Records> {
  const decoder = new TextDecoder(encoding);
  const reader = new CsvReader(separator);
  let no = 0;
  let bytes = 0;
  const numbered = (records: readonly CsvRecord[]) =>
    records.filter((record) => !isSeparatorLine(record, separator)).map((record) => ({ ...record, no: no++ }));
  for await (const chunk of content) {
    bytes += chunk.length;
    yield { records: numbered(reader.write(decoder.decode(chunk, { stream: true }))), bytes };
  }
  const line = reader.tooLongLine;
  if (!isWhole && line !== null) {
    const tooLong = { cells: [], line, lastLine: line, fault: 'too-long', faultCell: 0, hasEnd: false } as const;
    yield { records: numbered([tooLong]), bytes };
  }
  if (!isWhole) return;
  const last = numbered([...reader.write(decoder.decode()), ...reader.end()]);
  yield { records: last, bytes };
}

const isSeparatorLine = ({ line, cells }: CsvRecord, separator: string): boolean =>
  line === 1 && cells.length <= 2 && /^sep=.?$/i.test(cells.join(separator));

/** Reads a stored file. @throws Error when it is gone */
export async function* readRecords(blobs: BlobStore, name: BlobName, rules: FileRules): AsyncGenerator<Records> {
  const content = await blobs.read(name);
  if (!content) throw new Error('The file of an import is gone.');
  yield* recordsOf(content as AsyncIterable<Buffer>, rules);
}

/** Returns the first bytes of a stored file. @throws Error when it is gone */
export async function readHead(blobs: BlobStore, name: BlobName): Promise<Buffer> {
  const content = await blobs.read(name, { start: 0, end: headBytes - 1 });
  if (!content) throw new Error('The file of an import is gone.');
  return Buffer.concat((await content.toArray()) as Buffer[]);
}

/** Returns the first records of a file. `isWhole`: `head` is the whole file. */
export async function firstRecords(head: Buffer, rules: FileRules, isWhole: boolean): Promise<readonly CsvRecord[]> {
  const found: CsvRecord[] = [];
  for await (const { records } of recordsOf([head] as unknown as AsyncIterable<Buffer>, rules, isWhole))
    found.push(...records);
  return found.slice(0, judgedRecords);
}

/** Returns the first rows as they are shown: the header, if there is one, and some more. */
export function shownRows(records: readonly CsvRecord[]): Pick<CsvColumns, 'rows' | 'places'> {
  const shown = records.slice(0, sampleRows + 1);
  return {
    rows: shown.map(({ cells }) => cells.slice(0, maxColumns)),
    places: shown.map(({ line, fault }) => ({ line, fault })),
  };
}

/** Returns the separator by which most records have as many cells as the first one, and more than one. The first one has no fault. */
export async function guessSeparator(head: Buffer, encoding: Encoding, isWhole: boolean): Promise<Separator> {
  const named = /^\ufeff?sep=([,;\t|])/i.exec(new TextDecoder(encoding).decode(head.subarray(0, 40)))?.[1];
  if (named) return named as Separator;
  let best: { separator: Separator; score: number } = { separator: ',', score: 0 };
  for (const separator of separators) {
    const records = await firstRecords(head, { encoding, separator }, isWhole);
    const columns = records[0]?.cells.length ?? 0;
    const same = records.filter(({ cells, fault }) => cells.length === columns && fault === null).length;
    const score = columns < 2 || records[0]?.fault ? 0 : (same / records.length) * Math.min(columns, 10);
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}
