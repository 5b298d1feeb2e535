import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { CsvReader, type CsvRecord } from '../src/platform/csv-reader.ts';

/** Returns numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Numbers from 0 to below 1. */
export type Random = () => number;
export const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;

/** A text of CSV with everything that files have, and some that they should not. */
export function randomCsv(random: Random): { text: string; separator: string } {
  const separator = pick(random, [',', ';', '\t', '|']);
  const lineEnd = pick(random, ['\n', '\r\n', '\r']);
  const plain = () => pick(random, ['', 'a', 'Ann', 'Zoë', '漢', '1/5/1980', "O'Neil", 'x y', '=1+1', '😀']);
  const quoted = () =>
    `"${pick(random, ['', separator, lineEnd, '""', `a${separator}b`, `c${lineEnd}d`, '""e""', '漢'])}"`;
  const broken = () => pick(random, ['"a"b', 'a"b', '"', '"a" ', ' "a"', '""a', '"a""', '\u0000', '\ufffd']);
  const wild = random() < 0.4;
  const cell = () => (wild && random() < 0.05 ? broken() : random() < 0.3 ? quoted() : plain());
  const columns = 1 + Math.floor(random() * 6);
  const rows = Array.from({ length: Math.floor(random() * 20) }, () =>
    Array.from({ length: random() < 0.95 ? columns : 1 + Math.floor(random() * 8) }, cell).join(separator),
  );
  const text = rows.join(lineEnd) + (random() < 0.8 ? lineEnd : '');
  // Some are cut off.
  return { text: random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)).toWellFormed() : text, separator };
}

/** Reads a text in pieces of random lengths. */
export function readInPieces(text: string, separator: string, random: Random): CsvRecord[] {
  const reader = new CsvReader(separator);
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; ) {
    const next = at + 1 + Math.floor(random() * random() * 40);
    records.push(...reader.write(text.slice(at, next)));
    at = next;
  }
  return [...records, ...reader.end()];
}

/** A text up to the first record with a fault: there the other reader has its own rules. */
const linesBefore = (text: string, line: number): string => {
  let at = 0;
  for (let passed = 1; passed < line; passed += 1) {
    const [found = ''] = /\r\n|\n|\r/.exec(text.slice(at)) ?? [];
    at = text.indexOf(found, at) + found.length;
  }
  return text.slice(0, at);
};

/**
 * Compares what is read with csv-parse, up to the first record with a fault; after it, every record must be one that begins on its own line.
 * Returns the number of records that were compared.
 */
export function compareReaders({ text, separator }: { text: string; separator: string }, random: Random): number {
  const records = readInPieces(text, separator, random);
  const at = records.findIndex(({ fault }) => fault !== null);
  const compared = at < 0 ? records : records.slice(0, at);
  const part = at < 0 ? text : linesBefore(text, records[at]?.line ?? 1);
  const expected: string[][] = parse(part, {
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  expect(compared.map(({ cells }) => cells)).toEqual(expected);
  let last = 0;
  for (const { line, lastLine } of records) {
    expect(line).toBeGreaterThan(last);
    last = lastLine;
  }
  return compared.length;
}

/** Bytes that people upload: text in some encoding, cut off, with other bytes in it, or no text at all. */
export function randomFile(random: Random): Buffer {
  const kind = random();
  if (kind < 0.1)
    return Buffer.from(Array.from({ length: Math.floor(random() * 3000) }, () => Math.floor(random() * 256)));
  if (kind < 0.15) return Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.from(randomCsv(random).text)]);
  const header = random() < 0.7 ? 'First Name,Last Name,DOB,Phone,Email\n' : '';
  const { text } = randomCsv(random);
  const encoding = pick(random, ['utf8', 'utf16le', 'latin1'] as const);
  const mark = encoding !== 'latin1' && random() < 0.5 ? '\ufeff' : '';
  const bytes = Buffer.from(mark + header + text, encoding);
  if (random() < 0.1 && bytes.length > 0) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}
