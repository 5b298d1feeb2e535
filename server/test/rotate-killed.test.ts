import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { buildCompany, buildPatient } from '../src/demo/builders.ts';
import { sealedColumns } from '../src/features/upkeep/reseal.ts';
import { keyIdOf } from '../src/platform/envelope.ts';
import { buildRecords } from './build-records.ts';
import { runCommand, startCommand } from './run-command.ts';
import { startTestApp } from './test-app.ts';
import { testSecret } from './test-secret.ts';

const app = await startTestApp();
const { context } = app;
const { host = '', port = 0, user = '', database = '' } = app.database.application;
const env = {
  DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
  DATA_DIR: context.settings.DATA_DIR,
  SECRET_KEY: testSecret,
};

async function connectOwner(): Promise<pg.Client> {
  const owner = new pg.Client(app.database.owner);
  await owner.connect();
  onTestFinished(() => owner.end());
  return owner;
}

test('rotate-keys --data killed after some rows, then run again: everything can be read in between and afterwards', async () => {
  const { companyId } = await buildCompany(context);
  const { patientId } = await buildPatient(context, { companyId });
  for (const word of ['Canaryone', 'Canarytwo']) await buildRecords(context, { companyId, patientId, word });
  const [owner, locker] = [await connectOwner(), await connectOwner()];
  /** The numbers of the keys that seal values of a column. */
  const keysOf = async (table: string, column: string) => {
    const { rows } = await owner.query<{ value: Buffer }>(
      `select ${column} as value from ${table} where company_id = $1 and octet_length(${column}) > 0`,
      [companyId],
    );
    return [...new Set(rows.map(({ value }) => keyIdOf(value)))];
  };
  /** What a new process, without cached keys, reads of the patient: every sealed text, and the files. */
  const read = async (name: string) => {
    const folder = path.join(context.settings.DATA_DIR, name);
    const args = [String(companyId), String(patientId), folder];
    expect(await runCommand('export-patient', args, env)).toMatchObject({ code: 0 });
    return fs
      .readdirSync(folder)
      .map((file) => fs.readFileSync(path.join(folder, file), 'utf8').match(/Canary[a-z]+( notes| chat|\.txt)?/g) ?? [])
      .flat()
      .sort();
  };
  const before = await read('before');
  for (const kind of [' notes', ' chat', '.txt', '']) {
    expect(before).toContain(`Canaryone${kind}`);
    expect(before).toContain(`Canarytwo${kind}`);
  }
  const [old] = await keysOf('files', 'name');

  // The names of files come after appointments, chat and guests: their table is locked, so that the command waits there.
  await locker.query('begin');
  await locker.query('lock table files in access exclusive mode');
  const first = startCommand('rotate-keys', ['--data'], env);
  await expect.poll(async () => (await keysOf('visit_guests', 'contact')).includes(old ?? 0)).toBe(false);
  first.child.kill('SIGKILL');
  expect((await first.ended).output).toBe('');
  await locker.query('rollback');
  expect(await keysOf('appointments', 'notes')).not.toContain(old);
  expect(await keysOf('files', 'name')).toEqual([old]);
  expect(await read('between')).toEqual(before);

  const second = await runCommand('rotate-keys', ['--data'], env);
  expect(second).toMatchObject({
    code: 0,
    // Two names of files; the name, the problems and a change of two imports; the contents of two files, two photos and two recordings.
    output: expect.stringContaining('the change of its key goes on; sealed again: 14,'),
  });
  const keys = new Set<number>();
  for (const { table, column } of sealedColumns) for (const key of await keysOf(table, column)) keys.add(key);
  expect([keys.size, keys.has(old ?? 0)]).toEqual([1, false]);
  expect(await read('after')).toEqual(before);
});
