import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from './steps.ts';

/** Files with style, by path; tokens.css is where the values are. */
const styled = fs
  .globSync('web/src/**/*.{css,tsx,ts}', { cwd: root })
  .filter((file) => !/tokens\.css$|\.test\.|testing|theme\.ts$/.test(file))
  .map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')] as const);

test.each([
  ['colors', /(?<!&|href="|to="|`|'|"|\/)#[0-9a-f]{3,8}\b(?! *[{.])|\brgba?\(/gi],
  ['font sizes', /font-size: *[\d.]+(?:rem|px)|fontSize: *'[\d.]+(?:rem|px)'|\bfont: \d+ [\d.]/g],
  ['corners', /border-radius: *[^;]*\d+px|borderRadius: *'[^']*\d+px/g],
])('%s: come from tokens.css', (_what, pattern) => {
  const found = styled.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([value]) => `${file}: ${value}`));
  expect(styled.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

test('buttons and dialogs of Material: are used by ui/ only', () => {
  const found = styled
    .filter(([file]) => !path.dirname(file).endsWith('ui'))
    .filter(([, text]) => /import \{[^}]*\b(?:Button|Dialog|DialogTitle|DialogActions)\b[^}]*\} from '@mui/.test(text));
  expect(found.map(([file]) => file)).toEqual([]);
});

test('code that is loaded on use: is shown by ui/later.tsx, since React.lazy shows its fallback for 300 ms at least', () => {
  const found = styled.filter(([, text]) => /import \{[^}]*\b(?:lazy|Suspense)\b[^}]*\} from 'react';/.test(text));
  expect(found.map(([file]) => file)).toEqual([]);
});
