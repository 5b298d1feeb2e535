import {
  type CsvColumns,
  type CsvDefinition,
  type CsvProgress,
  checkCsv,
  getCsvProgress,
  parseCsv,
  uploadCsv,
} from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { expect } from 'vitest';
import type { Person, TestApp } from './test-app.ts';

/** A form with one file, as browsers send it. */
export function formOf(name: string, content: string | Buffer): { bytes: Buffer; type: string } {
  const boundary = '----roomside-test-boundary';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/csv\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { bytes, type: `multipart/form-data; boundary=${boundary}` };
}

/** Uploads a file. Returns its columns. */
export async function upload(
  admin: Person,
  content: string | Buffer,
  { name = 'patients.csv', type = 'Patient' }: { name?: string; type?: ImportType } = {},
): Promise<CsvColumns> {
  const answer = await admin.call(uploadCsv, { query: { type }, upload: formOf(name, content) });
  expect([answer.status, answer.problem?.code]).toEqual([200, undefined]);
  return answer.json;
}

/** Waits until a worker has nothing to do with a file. */
export async function settled({ clock }: TestApp, admin: Person, fileId: number): Promise<CsvProgress> {
  const read = async () => (await admin.call(getCsvProgress, { query: { fileId } })).json.import;
  const isRunning = (one: CsvProgress | null) => ['checking', 'importing', 'undoing'].includes(one?.state ?? '');
  // Runs the repeated work immediately.
  clock.set(clock.now());
  await expect.poll(async () => isRunning(await read()), { interval: 20 }).toBe(false);
  return (await read()) as CsvProgress;
}

/** Checks a file as it was guessed, with changes. */
export async function check(app: TestApp, admin: Person, definition: CsvDefinition): Promise<CsvProgress> {
  expect((await admin.call(checkCsv, { body: definition })).status).toBe(204);
  return settled(app, admin, definition.fileId);
}

/** Uploads, checks and imports a file. Returns the end. */
export async function importCsv(
  app: TestApp,
  admin: Person,
  content: string | Buffer,
  changes: Partial<CsvDefinition> = {},
  type: ImportType = 'Patient',
): Promise<CsvProgress & { records: number }> {
  const { definition } = await upload(admin, content, { type });
  const body = { ...definition, ...changes };
  expect((await check(app, admin, body)).state).toBe('checked');
  const parsed = await admin.call(parseCsv, { body });
  expect(parsed.status).toBe(200);
  return { ...(await settled(app, admin, definition.fileId)), records: parsed.json.records };
}
