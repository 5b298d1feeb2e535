import { expect, test } from 'vitest';
import { exportPercent } from './percent.ts';

test.each([
  ['nothing is counted yet', [0, 0, 0, 0], 0],
  ['half of the rows, no files', [50, 100, 0, 0], 50],
  ['all rows, half of the files of the same weight', [100, 100, 100_000, 200_000], 75],
  ['one byte is missing', [100, 100, 999_999, 1_000_000], 99],
  ['everything', [100, 100, 1_000_000, 1_000_000], 100],
] as const)('the progress of an export: %s', (_name, [rowsDone, rowsTotal, bytesDone, bytesTotal], percent) => {
  expect(exportPercent({ rowsDone, rowsTotal, bytesDone, bytesTotal })).toBe(percent);
});
