import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { buildRecords } from '../../../test/build-records.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { startServer } from '../../../test/server-process.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';

test('a server that is killed while it makes an export: another one makes it again, and nothing is left over', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-export-'));
  const database = await createTestDatabase();
  const env = { DATA_DIR: folder };
  const app = await startTestApp({ database, env });
  const { context } = app;
  const { companyId } = await buildCompany(context);
  const { userId } = await buildUser(context, { companyId, role: 'A', password });
  const { patientId } = await buildPatient(context, { companyId });
  await buildRecords(context, { companyId, patientId, word: randomBytes(8).toString('hex') });
  const now = isoNow(context.clock);
  const kept = (await Readable.from(context.blobs.list(companyId)).toArray()).length;
  await app.close();

  const [owner, locker] = [new pg.Client(database.owner), new pg.Client(database.owner)];
  await Promise.all([owner.connect(), locker.connect()]);
  onTestFinished(async () => {
    await Promise.all([owner.end(), locker.end()]);
    await database.drop();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const one = async <Row>(text: string) => (await owner.query(text)).rows[0] as Row;
  const files = () =>
    fs.globSync('blobs/**/*', { cwd: folder }).filter((file) => fs.statSync(path.join(folder, file)).isFile());
  const state = async () => (await one<{ state: string }>('select state from data_exports')).state;

  // The export has begun to write its archive when it waits for this table.
  await locker.query('begin');
  await locker.query('lock table photos in access exclusive mode');
  await owner.query('insert into data_exports (company_id, by_user_id, requested_at) values ($1, $2, $3)', [
    companyId,
    userId,
    now,
  ]);
  const first = await startServer(database.application, env);
  onTestFinished(first.stop);
  await expect.poll(async () => (await one<{ n: string }>('select count(*) as n from data_export_parts')).n).toBe('1');
  await first.stop();
  await locker.query('rollback');
  expect(await state()).toBe('running');

  const second = await startServer(database.application, env);
  onTestFinished(second.stop);
  // Its claim is still valid: no one else begins.
  await second.setClock(Date.now() + 30_000);
  expect(await one('select attempts from data_exports')).toEqual({ attempts: 1 });
  await second.setClock(Date.now() + 70_000);
  await expect.poll(state).toBe('ready');
  expect(await one('select attempts from data_exports')).toEqual({ attempts: 2 });
  expect(await one('select count(*)::int as n, max(part_no) as last from data_export_parts')).toEqual({
    n: 1,
    last: 0,
  });
  // What was being written when the server was killed is deleted by the daily sweep of files.
  const isUnfinished = (file: string) => path.basename(file).includes('.');
  for (const file of files().filter(isUnfinished)) fs.utimesSync(path.join(folder, file), 0, 0);
  await second.setClock(Date.now() + 26 * 3_600_000);
  await expect.poll(() => files().filter(isUnfinished)).toEqual([]);
  expect(files()).toHaveLength(kept + 1);
});
