import { type CsvColumns, checkCsv, getCsvImport, parseCsv, uploadCsv } from '@roomside/contract/csv-import/calls.ts';
import { importTypes } from '@roomside/contract/csv-import/fields.ts';
import { expect, test } from 'vitest';
import { formOf, settled } from '../../../test/csv-import.ts';
import { pick, type Random, randomFile, randomOf } from '../../../test/random-csv.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildUser } from '../../demo/builders.ts';

/** `IMPORT_FILES=10000 npx vitest run --project server server/src/features/csv-import/random-uploads.test.ts` */
const files = Math.ceil(Number(process.env.IMPORT_FILES ?? 300) / 20);
const app = await startTestApp();

/** The definition that was guessed, with a column for each field that has none. */
const completed = ({ definition, columns }: CsvColumns, random: Random): CsvColumns['definition'] => ({
  ...definition,
  fields: definition.fields.map((field) => ({
    ...field,
    columnIdx: field.columnIdx ?? pick(random, columns)?.columnIdx ?? 0,
  })),
});

test(`${files} random files: are uploaded, checked and imported, or refused with the place`, async () => {
  const random = randomOf(14);
  const { companyId } = await buildCompany(app.context);
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  let [isImported, isRefused, wrongRows] = [0, 0, 0];
  for (let file = 0; file < files; file += 1) {
    app.clock.set(app.clock.now() + 1000);
    const admin = await app.signIn({ email, password });
    const uploaded = await admin.call(uploadCsv, {
      query: { type: pick(random, importTypes) },
      upload: formOf('random.csv', randomFile(random)),
    });
    if (uploaded.status !== 200) {
      isRefused += 1;
      const { status, code, detail = '' } = uploaded.problem;
      expect([status, code]).toEqual([status, expect.stringMatching(/^(?:not-csv|first-row)$/)]);
      if (code === 'first-row') expect(JSON.stringify(uploaded.problem) + detail).toMatch(/Line \d+ of this file/);
      continue;
    }
    const body = completed(uploaded.json, random);
    expect((await admin.call(checkCsv, { body })).status).toBe(204);
    const checked = await settled(app, admin, body.fileId);
    expect(checked).toMatchObject({ state: 'checked', percent: 100 });
    const { rows, created, updated, unchanged, wrong, doubled } = checked;
    expect(created + updated + unchanged + wrong + doubled).toBe(rows);
    const { problems } = (await admin.call(getCsvImport, { params: { fileId: body.fileId } })).json;
    expect(problems.length > 0).toBe(wrong + doubled > 0);
    for (const { line } of problems) expect(line).toBeGreaterThan(0);
    wrongRows += wrong;
    expect((await admin.call(parseCsv, { body })).status).toBe(200);
    expect(await settled(app, admin, body.fileId)).toMatchObject({ ...checked, state: 'done' });
    isImported += 1;
  }
  expect(isImported).toBeGreaterThan(files / 2);
  expect(isRefused).toBeGreaterThan(0);
  expect(wrongRows).toBeGreaterThan(files / 2);
}, 1_800_000);
