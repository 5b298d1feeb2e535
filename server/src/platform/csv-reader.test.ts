import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { compareReaders, randomCsv, randomOf, readInPieces } from '../../test/random-csv.ts';
import { CsvReader, type CsvRecord } from './csv-reader.ts';

const read = (text: string, separator = ',', maxLength?: number): CsvRecord[] => {
  const reader = new CsvReader(separator, maxLength);
  return [...reader.write(text), ...reader.end()];
};
const cellsOf = (text: string, separator?: string) => read(text, separator).map(({ cells }) => cells);
/** Lines and faults. */
const placesOf = (records: readonly CsvRecord[]) =>
  records.map(({ line, lastLine, fault, faultCell }) =>
    fault ? [line, lastLine, fault, faultCell] : [line, lastLine],
  );

describe('CsvReader', () => {
  test.each([
    [
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a\rb\r', [['a'], ['b']]],
    [
      'a,\n,b\n',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['\n\na\n\n', [['a']]],
    ['"a,b","c""d","e\nf"\n', [['a,b', 'c"d', 'e\nf']]],
    ['"",""\n', [['', '']]],
    ['a "b" c,d"\n', [['a "b" c', 'd"']]],
    ['""""\n', [['"']]],
  ])('reads %j', (text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  test('names the lines of a record, with line breaks inside of cells', () => {
    expect(placesOf(read('a\r\n"b\r\n\r\nc",d\r\n\r\ne'))).toEqual([
      [1, 1],
      [2, 4],
      [6, 6],
    ]);
  });

  test('a quotation mark in the wrong place is a fault of its record, and the next one is read', () => {
    const records = read('a,"b"c",d\n"e"x\n"f",g\n');
    expect(placesOf(records)).toEqual([
      [1, 1, 'quote', 1],
      [2, 3, 'quote', 0],
    ]);
    expect(placesOf(read('a,"b "c" d",e\nf,g\n'))).toEqual([
      [1, 1, 'quote', 1],
      [2, 2],
    ]);
  });

  test('what stands behind a quotation mark that is never closed is no record', () => {
    const records = read('a,b\nc,"d\ne,f\ng,h\n');
    expect(placesOf(records)).toEqual([
      [1, 1],
      [2, 5, 'open-quote', 1],
    ]);
  });

  test('a record that is too long is passed in constant memory, and the next one is read with its line', () => {
    const reader = new CsvReader(',', 1000);
    const records: CsvRecord[] = [...reader.write('a,b\n')];
    for (let at = 0; at < 100; at += 1) records.push(...reader.write('x'.repeat(999)));
    records.push(...reader.write('\r'), ...reader.write('\nc,"d'));
    for (let at = 0; at < 100; at += 1) records.push(...reader.write('\n""y'));
    records.push(...reader.write(`${'z'.repeat(2000)}"\ne,f\n`), ...reader.end());
    expect(placesOf(records)).toEqual([
      [1, 1],
      [2, 2, 'too-long', 0],
      [3, 103, 'too-long', 0],
      [104, 104],
    ]);
    expect(JSON.stringify(records).length).toBeLessThan(5000);
    expect(placesOf(read(`a\n"${'b\n'.repeat(900)}`, ',', 1000))).toEqual([
      [1, 1],
      [2, 902, 'open-quote', 0],
    ]);
  });

  test('reads random files in random pieces as csv-parse does, and never a part of a record', () => {
    const random = randomOf(7);
    let accepted = 0;
    for (let at = 0; at < 1_000; at += 1) accepted += compareReaders(randomCsv(random), random);
    expect(accepted).toBeGreaterThan(5_000);
  });

  test('pieces: make no difference', () => {
    const random = randomOf(9);
    const text = '"a\r\nb",c""d\r\n\r\n"e"f,g\r\n"h","i"""\r\n';
    for (let at = 0; at < 200; at += 1) expect(readInPieces(text, ',', random)).toEqual(read(text));
    expect(parse(text.slice(0, 11), { relax_quotes: true })).toHaveLength(1);
  });
});
