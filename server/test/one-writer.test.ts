import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const source = path.join(import.meta.dirname, '../src');
const writes =
  /(?:insertInto|updateTable|deleteFrom)\('appointments'\)|(?:insert into|update|delete from) appointments\b/;

test('the table of appointments has one writer in the product, apart from what fills the demo', () => {
  const writers = fs
    .globSync('**/*.ts', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts') && writes.test(fs.readFileSync(path.join(source, file), 'utf8')));
  expect(writers.sort()).toEqual(['demo/builders.ts', 'features/appointments/appointment-writer.ts']);
});
