import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildCompany, buildPatient } from '../src/demo/builders.ts';
import { buildRecords } from './build-records.ts';
import { runCommand } from './run-command.ts';
import { startTestApp } from './test-app.ts';
import { testSecret } from './test-secret.ts';

const app = await startTestApp();
const { context, clock } = app;
const { host = '', port = 0, user = '', database = '' } = app.database.application;
const env = {
  DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
  DATA_DIR: context.settings.DATA_DIR,
  SECRET_KEY: testSecret,
};

test('npm run export-patient and erase-patient: write all data to a folder, then leave none', async () => {
  // The commands use the time of the machine.
  clock.set(Date.now() - 86_400_000);
  const { companyId } = await buildCompany(context);
  const { patientId } = await buildPatient(context, { companyId, lastName: 'Canaryname' });
  await buildRecords(context, { companyId, patientId, word: 'Canaryword' });
  const ids = [String(companyId), String(patientId)];
  const folder = path.join(context.settings.DATA_DIR, 'export');
  expect(await runCommand('export-patient', [...ids, folder], env)).toMatchObject({ code: 0 });
  const exported = JSON.parse(fs.readFileSync(path.join(folder, 'patient.json'), 'utf8')) as Record<string, object[]>;
  expect(exported['patients']).toMatchObject([{ last_name: 'Canaryname' }]);
  const [{ file_uid: fileUid } = { file_uid: '' }] = exported['files'] as { file_uid: string }[];
  expect(fs.readFileSync(path.join(folder, fileUid), 'utf8')).toBe('Canaryword');
  expect(await runCommand('erase-patient', ids, env)).toMatchObject({ code: 0 });
  expect(await context.blobs.read({ companyId, uid: fileUid })).toBeNull();
  const again = path.join(context.settings.DATA_DIR, 'again');
  expect(await runCommand('export-patient', [...ids, again], env)).toMatchObject({ code: 0 });
  expect(fs.readFileSync(path.join(again, 'patient.json'), 'utf8')).not.toContain('Canary');
  const unknown = await runCommand('erase-patient', [String(companyId), '999999'], env);
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('find this')]);
});
