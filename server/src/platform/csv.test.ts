import { withoutGuard } from '@roomside/contract/csv-import/read-values.ts';
import { describe, expect, test } from 'vitest';
import { csvLine, exactCsvLine } from './csv.ts';

// What a spreadsheet runs as a formula: signs, also full-width ones, and white space before them.
const formulas = [
  '=1+2',
  '+1+2',
  '-1+2',
  '@SUM(A1)',
  '＝1+2',
  '＋1+2',
  '－1+2',
  '＠SUM(A1)',
  '\t=1+2',
  '\r=1+2',
  '\n=1+2',
];
const quoted = (cell: string) => (/[\r\n]/.test(cell) ? `"${cell}"` : cell);

describe.each([
  ['csvLine', csvLine],
  ['exactCsvLine', exactCsvLine],
] as const)('%s', (_name, lineOf) => {
  test.each(formulas)('a cell that begins with a formula gets an apostrophe in front: %j', (formula) => {
    expect(lineOf(['a', formula])).toBe(`a,${quoted(`'${formula}`)}\r\n`);
  });

  test.each(['a=1', 'a＝1', 'a＋1', 'a－1', 'a＠b', 'a@b.test', '12', ''])(
    'other cells stay as they are: %j',
    (cell) => {
      expect(lineOf([cell, -5])).toBe(`${cell},-5\r\n`);
    },
  );
});

test('exactCsvLine: a number with a sign stays, and a cell with an apostrophe in front gets a further one', () => {
  expect(exactCsvLine(['-5.50', '+1', '－5', "'a", null])).toBe(`-5.50,+1,'－5,''a,\r\n`);
});

test.each(formulas)('withoutGuard: returns the text of a cell that was guarded: %j', (formula) => {
  expect(withoutGuard(`'${formula}`)).toBe(formula);
});
