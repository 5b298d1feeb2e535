import fs from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Amounts are decimal texts, and whole cents where something is computed (contract/src/money.ts). A binary fraction cannot hold 0.10: no
 * amount becomes one. Arithmetic with a text is refused by its type.
 */
const fractions = [
  /\bparseFloat\s*\(/,
  /\.toFixed\s*\(\s*2\s*\)/,
  /\bNumber\s*\(\s*[\w.?[\]']*([Ff]ee|[Aa]mount|collected|[Bb]alance|[Dd]iscount|[Pp]rice|PRICE|[Tt]otal|paid|refunded)\b[^)]*\)/,
  /\bNumber\.parseFloat\b/,
];

const sources = fs.globSync('{contract,server,web}/src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file));

test('source files: no amount becomes a binary fraction', () => {
  const found = sources.flatMap((file) =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        fractions.some((pattern) => pattern.test(line)) ? [`${file}:${index + 1} ${line.trim()}`] : [],
      ),
  );
  expect(sources.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

test('the patterns find what they look for', () => {
  for (const line of [
    'Number(row.fee)',
    'Number(values.collected) > 0',
    'parseFloat(x)',
    'x.toFixed(2)',
    'Number(totalAmount)',
    'Number(selfPayFee)',
    'Number(settings.LICENSE_PRICE) > 0',
  ])
    expect([line, fractions.some((pattern) => pattern.test(line))]).toEqual([line, true]);
  for (const line of ['Number(row.count)', 'toCents(row.fee)'])
    expect([line, fractions.some((pattern) => pattern.test(line))]).toEqual([line, false]);
});
