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

/** What ends sign-ins, other than time; a change of the first one notifies all processes. */
const endings =
  /\brevoked_at: now\b|end_user_sign_ins?\(|end_patient_sign_ins\(|merge_patient\(|(?:insert into|update|delete from) sign_ins\b/;

test('what ends sign-ins has one writer in the product, apart from the restore of a backup', () => {
  const writers = fs
    .globSync('**/*.ts', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts') && endings.test(fs.readFileSync(path.join(source, file), 'utf8')));
  expect(writers.sort()).toEqual(['platform/backup/restore-backup.ts', 'platform/end-sign-ins.ts']);
});
