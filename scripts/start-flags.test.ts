import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startFlags } from './start-flags.ts';
import { root } from './steps.ts';

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

test('flags of the server: the container and the manual name those of package.json', () => {
  const flags = startFlags('start:production');
  expect(flags.length).toBeGreaterThan(0);
  expect(read('Dockerfile')).toContain(
    `CMD ${JSON.stringify(['node', ...flags, 'server/dist/main.js']).replaceAll(',', ', ')}`,
  );
  expect(read('docs/operations.md')).toContain(`node ${flags.join(' ')} server/dist/main.js`);
});
