import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startEnvironment, startFlags } from './start-flags.ts';
import { root } from './steps.ts';

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

test('flags and environment of the server: the container and the manual name those of package.json', () => {
  const flags = startFlags('start:production');
  const environment = Object.entries(startEnvironment('start:production')).map((one) => one.join('='));
  expect(flags.length).toBeGreaterThan(0);
  expect(environment).toContain('NODE_ENV=production');
  expect(read('Dockerfile')).toContain(`ENV ${environment.join(' ')} HOST=`);
  expect(read('Dockerfile')).toContain(
    `CMD ${JSON.stringify(['node', ...flags, 'server/dist/main.js']).replaceAll(',', ', ')}`,
  );
  expect(read('docs/operations.md')).toContain(`${environment.join(' ')} node ${flags.join(' ')} server/dist/main.js`);
});
