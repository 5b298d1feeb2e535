import { Readable } from 'node:stream';
import {
  cancelCsvImport,
  checkCsv,
  downloadWrongRows,
  exportCsv,
  getCsvColumns,
  getCsvDefinition,
  getCsvImport,
  getCsvProgress,
  listCsvImports,
  parseCsv,
  undoCsvImport,
  undoDays,
  uploadCsv,
} from '@roomside/contract/csv-import/calls.ts';
import { erasePatient, getPatient, listPatients, savePatient } from '@roomside/contract/patients/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { check, formOf, importCsv, settled, upload } from '../../../test/csv-import.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { types } from '../../platform/database/driver.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client({ ...app.database.owner, types });
beforeAll(() => owner.connect());
beforeEach(() => clock.set(Date.now()));
afterAll(() => owner.end());

const day = 24 * 3_600_000;

interface Clinic {
  readonly companyId: number;
  readonly userId: number;
  readonly admin: Person;
  readonly email: string;
}

async function buildClinic(): Promise<Clinic> {
  const { companyId } = await buildCompany(context);
  const { email, userId } = await buildUser(context, { companyId, role: 'A', password });
  return { companyId, userId, email, admin: await app.signIn({ email, password }) };
}

/** The patients of a clinic as texts, in the order of their names. */
async function patientsOf(companyId: number): Promise<string[]> {
  const { rows } = await owner.query<{ text: string }>(
    `select concat_ws('|', first_name, last_name, birth_date, email, external_id,
       (select string_agg(phone, ' ' order by position) from patient_phones f where f.patient_id = p.patient_id)) as text
     from patients p where company_id = $1 and archived_at is null order by last_name, first_name, patient_id`,
    [companyId],
  );
  return rows.map(({ text }) => text);
}

const header = 'External ID,First Name,Last Name,Date of Birth,Phone,Email';
const file = (...rows: string[]) => `${[header, ...rows].join('\r\n')}\r\n`;
const ann = 'X1,Ann,Lee,1/5/1980,(212) 555-0123,ann@x.test';
const bob = 'X2,Bob,Fox,12/31/1975,+1 212.555.0124,';

describe('import of patients', () => {
  test('creates the right rows, counts all, and audits them @ENTITY-16', async () => {
    const { admin, companyId, userId } = await buildClinic();
    const { definition: blank } = {
      definition: (await admin.call(getCsvDefinition, { query: { type: 'Patient' } })).json,
    };
    expect(blank).toMatchObject({ fileId: 0, hasHeader: true });
    expect(blank.fields).toContainEqual({
      name: 'doB',
      description: 'Birth date',
      mappable: true,
      requiredInGroup: 0,
      columnIdx: null,
    });
    const rows = await watchAudit(app);
    const { fileId, columns, definition } = await upload(
      admin,
      file(ann, bob, 'X3,Cy,,13/45/1980,12,cy@', '', ann, 'X4,"O\'Neil, Jr","Mary\nAnn",1980-02-30,,a@b.test'),
    );
    expect(columns.map((column) => [column.columnIdx, column.header])).toEqual(
      header.split(',').map((name, at) => [at, name]),
    );
    expect(definition).toMatchObject({ fileId, separator: ',', encoding: 'utf-8', hasHeader: true, dateOrder: 'mdy' });
    const counts = { rows: 5, created: 2, updated: 0, unchanged: 0, wrong: 2, doubled: 1 };
    expect(await check(app, admin, definition)).toMatchObject({ state: 'checked', percent: 100, ...counts });
    expect(await patientsOf(companyId)).toEqual([]);
    const found = (await admin.call(getCsvImport, { params: { fileId } })).json;
    expect(found.problems.map((one) => [one.line, one.columnIdx, one.code, one.detail, one.value])).toEqual([
      [4, 2, 'required', 0, ''],
      [4, 3, 'date-day', 0, '13/45/1980'],
      [4, 4, 'phone', 0, '12'],
      [4, 5, 'email', 0, 'cy@'],
      [6, null, 'double', 2, ''],
      [7, 2, 'hidden', 0, 'Mary\nAnn'],
      [7, 3, 'date-day', 0, '1980-02-30'],
    ]);
    const parsed = await admin.call(parseCsv, { body: definition });
    expect(parsed.json).toEqual({ records: 2 });
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'done', ...counts });
    expect(await patientsOf(companyId)).toEqual([
      'Bob|Fox|1975-12-31||X2|+12125550124',
      'Ann|Lee|1980-01-05|ann@x.test|X1|+12125550123',
    ]);
    const { rows: ids } = await owner.query<{ id: number }>(
      'select patient_id as id from patients where company_id = $1',
      [companyId],
    );
    const audited = await rows();
    expect(audited.filter(({ action }) => action === 'importPatients')).toEqual([
      expect.objectContaining({
        actor: `A_${userId}`,
        company_id: companyId,
        objects: { importId: fileId, created: expect.arrayContaining(ids.map(({ id }) => id)), updated: [] },
      }),
    ]);
    expect(audited.filter(({ action }) => action === 'finishImport')).toEqual([
      expect.objectContaining({
        objects: {
          importId: fileId,
          rows: '5',
          created: '2',
          updated: '0',
          unchanged: '0',
          wrong: '2',
          doubled: '1',
          end: 'done',
        },
      }),
    ]);
    // Asking for the progress leaves no rows.
    expect(audited.some(({ action }) => action === 'getCsvProgress')).toBe(false);
  });

  test('second import of the same file: changes nothing', async () => {
    const { admin, companyId } = await buildClinic();
    await importCsv(app, admin, file(ann, bob));
    const before = await patientsOf(companyId);
    const again = await importCsv(app, admin, file(ann, bob));
    expect(again).toMatchObject({ records: 2, created: 0, updated: 0, unchanged: 2, wrong: 0 });
    expect(await patientsOf(companyId)).toEqual(before);
    const { rows } = await owner.query('select distinct version from patients where company_id = $1', [companyId]);
    expect(rows).toEqual([{ version: 0 }]);
  });

  test('updates the patient of the same external id, or else of the same name, birth date and phone or email', async () => {
    const { admin, companyId } = await buildClinic();
    const base = { companyId, birthDate: '1980-01-05' };
    await buildPatient(context, {
      ...base,
      firstName: 'Ann',
      lastName: 'Lee',
      email: 'old@x.test',
      externalId: 'X1',
      phones: ['2125550199'],
    });
    await buildPatient(context, { ...base, firstName: 'Zoë', lastName: 'O’Brien', email: '', phones: ['2125550111'] });
    await buildPatient(context, { ...base, firstName: 'Guy', lastName: 'Fox', email: 'guy@x.test' });
    // Similar, but not the same: another birth date, another contact, deleted, unverified.
    await buildPatient(context, {
      ...base,
      birthDate: '1980-01-06',
      firstName: 'Guy',
      lastName: 'Fox',
      email: 'guy@x.test',
    });
    await buildPatient(context, { ...base, firstName: 'Guy', lastName: 'Fox', email: 'other@x.test' });
    await buildPatient(context, { ...base, firstName: 'Guy', lastName: 'Fox', email: 'guy@x.test', verified: false });
    const result = await importCsv(
      app,
      admin,
      file(
        'X1,Ann,Lee-Smith,1/5/1980,2125550123,',
        "X9,ZOË,O'BRIEN,1/5/1980,212-555-0111,zoe@x.test",
        ',Guy,Fox,1/5/1980,,GUY@x.test',
      ),
    );
    expect(result).toMatchObject({ created: 0, updated: 2, unchanged: 1, wrong: 0 });
    expect(await patientsOf(companyId)).toEqual(
      expect.arrayContaining([
        'Ann|Lee-Smith|1980-01-05|old@x.test|X1|+12125550199 +12125550123',
        'Zoë|O’Brien|1980-01-05|zoe@x.test|X9|+12125550111',
        'Guy|Fox|1980-01-05|guy@x.test|',
      ]),
    );
  });

  test('refuses what it would have to guess', async () => {
    const { admin, companyId } = await buildClinic();
    const base = { companyId, birthDate: '1980-01-05', firstName: 'Ann', lastName: 'Lee', email: 'ann@x.test' };
    await buildPatient(context, { ...base, externalId: 'A' });
    await buildPatient(context, { ...base, firstName: 'Two', email: 'two@x.test', externalId: 'B' });
    await buildPatient(context, { ...base, firstName: 'Two', email: 'two@x.test', externalId: 'C' });
    const phones = ['2125550101', '2125550102', '2125550103', '2125550104', '2125550105'];
    await buildPatient(context, { ...base, firstName: 'Full', phones, externalId: 'D' });
    const { definition } = await upload(
      admin,
      file(
        'Z,Ann,Lee,1/5/1980,,ann@x.test',
        'A,Other,Person,2/2/1990,,o@x.test',
        ',Two,Lee,1/5/1980,,two@x.test',
        'D,Full,Lee,1/5/1980,2125550199,',
        `,Six,Lee,1/5/1980,${[...phones, '2125550106'].join('; ')},`,
      ),
    );
    expect(await check(app, admin, definition)).toMatchObject({ created: 0, updated: 0, unchanged: 0, wrong: 5 });
    const { problems } = (await admin.call(getCsvImport, { params: { fileId: definition.fileId } })).json;
    expect(problems.map(({ line, code, detail }) => [line, code, detail])).toEqual([
      [2, 'other-external', 0],
      [3, 'other-person', 0],
      [4, 'several', 2],
      [5, 'too-many-phones', 0],
      [6, 'too-many-phones', 0],
    ]);
  });

  test('wrong rows: come as CSV with line and reason, can be corrected and uploaded again, and formulas stay texts', async () => {
    const { admin, companyId } = await buildClinic();
    const formula = '"=HYPERLINK(""http://x.test"")"';
    await importCsv(
      app,
      admin,
      file(ann, `X5,${formula},@Sum,1/5/1980,,f@x.test`, `X6,${formula},-Dash,1/5/80,,no-address`),
    );
    expect(await patientsOf(companyId)).toContain('=HYPERLINK("http://x.test")|@Sum|1980-01-05|f@x.test|X5');
    const { data } = (await admin.call(listCsvImports)).json;
    const fileId = data[0]?.fileId ?? 0;
    expect(data).toEqual([
      expect.objectContaining({ fileName: 'patients.csv', state: 'done', created: 2, wrong: 1, hasWrongRows: true }),
    ]);
    const { text, headers, status } = await admin.call(downloadWrongRows, { params: { fileId } });
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain('patients%20wrong%20rows.csv');
    expect(text.replace(/^\ufeff/, '')).toBe(
      `${header},Line,Problem\r\nX6,"'=HYPERLINK(""http://x.test"")",'-Dash,1/5/80,,no-address,4,Email: Doesn't seem valid.\r\n`,
    );
    const corrected = await importCsv(app, admin, text.replace('no-address', 'n@x.test'));
    expect(corrected).toMatchObject({ created: 1, wrong: 0 });
    expect(await patientsOf(companyId)).toContain('=HYPERLINK("http://x.test")|-Dash|1980-01-05|n@x.test|X6');
  });

  test('wrong rows: cells behind the last column come with them, and the row is refused again until it is corrected', async () => {
    const { admin, companyId } = await buildClinic();
    const download = async (fileId: number) =>
      (await admin.call(downloadWrongRows, { params: { fileId } })).text.replace('\ufeff', '');
    let content = file(
      ann,
      'X5,Ann,Lee, Jr,1/5/1981,2125550125,five@x.test',
      "X6,Di,Ray,1/6/1981,2125550126,six@x.test,'=1+1",
    );
    for (const created of [1, 0]) {
      const { fileId, ...done } = await importCsv(app, admin, content);
      expect(done).toMatchObject({ created, wrong: 2 });
      content = await download(fileId);
      for (const cell of ['five@x.test', "'=1+1"]) expect(content).toContain(cell);
    }
    expect(await patientsOf(companyId)).toHaveLength(1);
  });

  test('wrong rows: corrected in several rounds, the texts stay as they were', async () => {
    const { admin, companyId } = await buildClinic();
    await buildPatient(context, { companyId, firstName: '=cmd', lastName: "'O", phones: ['2125550124'] });
    const { text: exported } = await admin.call(exportCsv, { query: { type: 'Patient' } });
    const wrongRows = async (content: string) => {
      const { fileId, ...done } = await importCsv(app, admin, content);
      expect(done).toMatchObject({ created: 0, updated: 0, unchanged: 0, wrong: 1 });
      return (await admin.call(downloadWrongRows, { params: { fileId } })).text;
    };
    const [, row = ''] = exported.trim().split('\r\n');
    expect(row).toMatch(/^,'=cmd,''O,/);
    const birthDate = row.split(',')[3] ?? '';
    const first = await wrongRows(
      `${header},=More\r\n${row.replace(/^,/, '-,').replace(birthDate, 'never').replace('2125550124', '+1 212 555 0124')},-1+2\r\n`,
    );
    expect(first).toContain(`\r\n'-,'=cmd,''O,never,'+1 212 555 0124,`);
    const second = await wrongRows(first);
    const third = await wrongRows(second);
    const ownCells = (text: string) => text.split('\r\n').map((line) => line.split(',').slice(0, 7));
    expect(ownCells(second)).toEqual(ownCells(first));
    expect(ownCells(third)).toEqual(ownCells(first));
    expect(await importCsv(app, admin, third.replace('never', birthDate))).toMatchObject({ unchanged: 1, wrong: 0 });
  });

  test('wrong rows: are erased with a patient, in whatever spelling, and the same file gives them again', async () => {
    const { admin, companyId } = await buildClinic();
    const content = file(ann, 'X7,Anne,Leigh,1/5/1980,,no-address');
    const { fileId } = await importCsv(app, admin, content);
    const { data: found } = (await admin.call(listPatients, { query: { top: 5, skip: 0, filter: 'Lee' } })).json;
    const blobOf = async (id: number) =>
      (await owner.query<{ uid: string }>('select wrong_uid as uid from imports where import_id = $1', [id])).rows[0]
        ?.uid;
    const uid = (await blobOf(fileId)) ?? '';
    const erase = { params: { patientId: found[0]?.patientId ?? 0 }, body: { currentPassword: password } };
    const erased = await admin.call(erasePatient, { ...erase, body: { ...erase.body, reason: 'asked' } });
    expect(erased.status).toBe(204);
    const { problems, hasWrongRows } = (await admin.call(getCsvImport, { params: { fileId } })).json;
    expect([problems, hasWrongRows]).toEqual([[], false]);
    expect((await admin.call(downloadWrongRows, { params: { fileId } })).status).toBe(404);
    await expect.poll(() => context.blobs.read({ companyId, uid })).toBeNull();
    const again = await importCsv(app, admin, content);
    expect(again).toMatchObject({ wrong: 1 });
    expect(await blobOf(again.fileId)).toMatch(/^[0-9a-f]{32}$/);
  });

  test('a mapping that lacks a field, a second import, and an import without a check are refused', async () => {
    const { admin } = await buildClinic();
    const { definition, fileId } = await upload(admin, file(ann));
    const without = (...names: string[]) => ({
      ...definition,
      fields: definition.fields.map((field) => (names.includes(field.name) ? { ...field, columnIdx: null } : field)),
    });
    const refused = async (body: typeof definition) => (await admin.call(checkCsv, { body })).problem;
    expect(await refused(without('doB'))).toMatchObject({ status: 422, fields: { doB: 'Required' } });
    expect(await refused(without('phone', 'email'))).toMatchObject({
      fields: { phone: expect.stringContaining('at least one'), email: expect.stringContaining('at least one') },
    });
    expect((await admin.call(checkCsv, { body: { ...definition, fileId: 0 } })).status).toBe(404);
    expect((await admin.call(parseCsv, { body: definition })).problem.code).toBe('check-first');
    await check(app, admin, definition);
    expect((await admin.call(parseCsv, { body: without('email') })).problem.code).toBe('check-first');
    await owner.query(
      `update imports set state = 'importing', claim = gen_random_uuid(), lease_until = 'infinity' where import_id = $1`,
      [fileId],
    );
    const second = await upload(admin, file(bob));
    expect((await admin.call(checkCsv, { body: second.definition })).problem.code).toBe('import-running');
    await owner.query(`update imports set state = 'done', claim = null where import_id = $1`, [fileId]);
  });

  test('undo: archives new patients and gives changed ones their values back, unless they were edited or have an appointment', async () => {
    const { admin, companyId, email } = await buildClinic();
    const { patientId } = await buildPatient(context, {
      companyId,
      firstName: 'Ann',
      lastName: 'Lee',
      externalId: 'X1',
      email: 'old@x.test',
      phones: ['2125550199'],
    });
    const { patientId: editedId } = await buildPatient(context, {
      companyId,
      firstName: 'Ed',
      lastName: 'Ited',
      externalId: 'X7',
      email: 'ed@x.test',
    });
    const before = await patientsOf(companyId);
    const { fileId } = await importCsv(
      app,
      admin,
      file(
        'X1,Anna,Leigh,5/17/1980,2125550123,new@x.test',
        bob,
        'X8,Cy,Used,1/5/1980,,c@x.test',
        'X7,Ed,Ited,5/17/1980,,ed2@x.test',
      ),
    );
    const idOf = async (externalId: string) =>
      (
        await owner.query<{ id: number }>(
          'select patient_id as id from patients where company_id = $1 and external_id = $2',
          [companyId, externalId],
        )
      ).rows[0]?.id ?? 0;
    await buildAppointment(context, { companyId, patientId: await idOf('X8') });
    const edited = (await admin.call(getPatient, { params: { patientId: editedId } })).json;
    const { created: _created, verified: _verified, ...body } = edited;
    expect((await admin.call(savePatient, { body: { ...body, doB: body.doB ?? '', lastName: 'Edited' } })).status).toBe(
      200,
    );
    expect((await admin.call(undoCsvImport, { params: { fileId } })).status).toBe(204);
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 2 });
    expect(await patientsOf(companyId)).toEqual([
      'Ed|Edited|1980-05-17|ed2@x.test|X7',
      ...before.filter((text) => text.startsWith('Ann')),
      'Cy|Used|1980-01-05|c@x.test|X8',
    ]);
    const restored = (await admin.call(getPatient, { params: { patientId } })).json;
    expect(restored.version).toBe(2);
    // Again, for those who were left: they still are.
    expect((await admin.call(undoCsvImport, { params: { fileId } })).status).toBe(204);
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 2 });
    expect((await admin.call(getPatient, { params: { patientId } })).json.version).toBe(2);
    await owner.query('update appointments set archived_at = now() where company_id = $1', [companyId]);
    expect((await admin.call(undoCsvImport, { params: { fileId } })).status).toBe(204);
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 1 });
    expect(await patientsOf(companyId)).toHaveLength(2);
    clock.set(clock.now() + undoDays * day + 1);
    const later = await app.signIn({ email, password });
    expect((await later.call(undoCsvImport, { params: { fileId } })).status).toBe(404);
  });

  test('cancel: of a check keeps the file, of an import keeps what is done or takes it back, of a file deletes it', async () => {
    const { admin, companyId } = await buildClinic();
    const rows = Array.from({ length: 1_200 }, (_, at) => `M${at},Ann,Lee${at},1/5/1980,,a${at}@x.test`);
    // A wrong row that the import does not come to.
    const many = file(...rows, 'M9,Ann,Wrong,never,,w@x.test', 'M0,Ann,Lee0,1/5/1980,,a0@x.test');
    const start = async () => {
      const { definition } = await upload(admin, many);
      await check(app, admin, definition);
      return definition;
    };
    const cancelled = async (keep: boolean) => {
      const definition = await start();
      const params = { fileId: definition.fileId };
      // The worker stops with the first rows, and sees the wish afterwards.
      await owner.query('begin');
      onTestFinished(async () => void (await owner.query('rollback')));
      await owner.query('lock table patient_phones in access exclusive mode');
      await admin.call(parseCsv, { body: definition });
      clock.set(clock.now());
      /** The number of waiting statements of this database: other tests have theirs in the same cluster. */
      const waitsFor = async (lock: 'relation' | 'advisory') => {
        const { rows } = await locker.query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and wait_event = $1`,
          [lock],
        );
        return rows[0]?.n;
      };
      // The worker waits for the table, and the call for the worker. A renewal of the claim may wait, too, for a row.
      await expect.poll(() => waitsFor('relation')).toBe(1);
      const answer = admin.call(cancelCsvImport, { params, body: { keep } });
      await expect.poll(() => waitsFor('advisory')).toBe(1);
      await owner.query('rollback');
      expect((await answer).status).toBe(204);
      return settled(app, admin, definition.fileId);
    };
    const locker = new pg.Client(app.database.owner);
    await locker.connect();
    onTestFinished(() => locker.end());
    // The step that runs is finished; the wish comes before the next one.
    expect(await cancelled(false)).toMatchObject({ state: 'undone', created: 500, kept: 0 });
    expect(await patientsOf(companyId)).toHaveLength(0);
    const kept = await cancelled(true);
    expect(kept).toMatchObject({ state: 'cancelled', created: 500, wrong: 0, doubled: 0 });
    const { problems, hasWrongRows } = (await admin.call(getCsvImport, { params: { fileId: kept.fileId } })).json;
    expect({ problems, hasWrongRows }).toEqual({ problems: [], hasWrongRows: false });
    const noted = await owner.query('select 1 from import_problems where import_id = $1', [kept.fileId]);
    expect(noted.rows).toEqual([]);
    expect(await patientsOf(companyId)).toHaveLength(kept.created);
    const draft = await start();
    expect((await admin.call(cancelCsvImport, { params: { fileId: draft.fileId }, body: { keep: true } })).status).toBe(
      204,
    );
    expect((await admin.call(getCsvProgress, { query: { fileId: draft.fileId } })).json.import).toBeNull();
  });

  test.each([
    ['undo', 'remove', 'undone', 0],
    ['keep', 'keep', 'cancelled', 1],
  ])('a wish to %s while the wrong rows are written: counts', async (_name, wish, state, left) => {
    const { admin, companyId } = await buildClinic();
    const { definition } = await upload(admin, file(ann, 'X9,Bob,Wrong,never,,b@x.test'));
    await check(app, admin, definition);
    // All rows are imported when a worker notes which file the wrong rows get.
    await owner.query(`create function wish() returns trigger language plpgsql as $$
      begin new.cancel := '${wish}'; return new; end $$`);
    await owner.query(`create trigger wish before update on imports for each row
      when (old.state = 'importing' and new.wrong_uid is distinct from old.wrong_uid) execute function wish()`);
    onTestFinished(async () => void (await owner.query('drop function wish cascade')));
    await admin.call(parseCsv, { body: definition });
    expect(await settled(app, admin, definition.fileId)).toMatchObject({ state, created: 1, wrong: 1, kept: 0 });
    expect(await patientsOf(companyId)).toHaveLength(left);
    const { rows } = await owner.query('select cancel from imports where import_id = $1', [definition.fileId]);
    expect(rows).toEqual([{ cancel: null }]);
  });

  test('undo: a worker that goes on counts what stays once', async () => {
    const { admin, companyId } = await buildClinic();
    await buildPatient(context, { companyId, firstName: 'Ann', lastName: 'Lee', externalId: 'X1', email: 'o@x.test' });
    const { fileId } = await importCsv(app, admin, file(ann, bob));
    const used = `select patient_id as id from patients where company_id = $1 and external_id = 'X2'`;
    const { rows } = await owner.query<{ id: number }>(used, [companyId]);
    await buildAppointment(context, { companyId, patientId: rows[0]?.id ?? 0 });
    // The first worker vanishes when all is looked at.
    await owner.query(`create function vanish() returns trigger language plpgsql as $$
      begin raise exception 'The worker has vanished.'; end $$`);
    await owner.query(`create trigger vanish before update on imports for each row
      when (new.state = 'undone') execute function vanish()`);
    const countVanished = () => app.logged.filter((line) => line.includes('The worker has vanished.')).length;
    const before = countVanished();
    await admin.call(undoCsvImport, { params: { fileId } });
    clock.set(clock.now());
    // Until then it renews its claim.
    await expect.poll(countVanished).toBe(before + 1);
    const { rows: steps } = await owner.query('select amount_done::int as done from imports where import_id = $1', [
      fileId,
    ]);
    expect(steps).toEqual([{ done: 2 }]);
    await owner.query('drop function vanish cascade');
    clock.set(clock.now() + 31_000);
    expect(await settled(app, admin, fileId)).toMatchObject({ state: 'undone', kept: 1 });
    expect(await patientsOf(companyId)).toHaveLength(2);
  });

  test('nothing of a file is in the database or the folder as plain text, and nothing remains after a week', async () => {
    const { admin, companyId } = await buildClinic();
    const word = 'Canarybird';
    const { fileId } = await importCsv(app, admin, file(ann, `X9,${word},Wrong,never,,${word}@x`));
    const found = (await admin.call(getCsvImport, { params: { fileId } })).json;
    expect(JSON.stringify(found.problems)).toContain(word);
    const { rows: tables } = await owner.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
    );
    for (const { name } of tables) {
      const { rows } = await owner.query(`select 1 from ${name} t where t::text like $1 or t::text like $2`, [
        `%${word}%`,
        `%${Buffer.from(word).toString('hex')}%`,
      ]);
      expect([name, rows]).toEqual([name, []]);
    }
    const blobs = async () => (await Readable.from(context.blobs.list(companyId)).toArray()).length;
    // The wrong rows; the file itself is gone.
    await expect.poll(blobs).toBe(1);
    const leftover = await upload(admin, file(bob));
    expect(await blobs()).toBe(2);
    clock.set(clock.now() + 7 * day + 60_000);
    // Each step runs the deletion, unless it is still running.
    const left = () => {
      clock.set(clock.now());
      return blobs();
    };
    await expect.poll(left, { interval: 200 }).toBe(0);
    // The row of a draft is deleted after its blob.
    const rows = async () =>
      (
        await owner.query(
          `select (select count(*) from import_problems where company_id = $1)::int as problems,
            (select count(*) from import_keys where company_id = $1)::int as keys,
            (select count(*) from import_changes where company_id = $1)::int as changes,
            (select count(*) from imports where import_id = $2)::int as drafts`,
          [companyId, leftover.fileId],
        )
      ).rows;
    await expect.poll(rows).toEqual([{ problems: 0, keys: 0, changes: 0, drafts: 0 }]);
  });
});

test('a file that is gone: the check fails after five attempts', async () => {
  const { admin, companyId } = await buildClinic();
  const { definition, fileId } = await upload(admin, file(ann));
  for await (const uid of context.blobs.list(companyId)) await context.blobs.delete({ companyId, uid });
  await admin.call(checkCsv, { body: definition });
  const stored = async () =>
    (
      await owner.query<{ state: string; attempts: number }>(
        'select state, attempts from imports where import_id = $1',
        [fileId],
      )
    ).rows[0];
  // Each step of the clock ends the claim of a worker that has failed; one that still runs is not disturbed.
  const seen = new Set<number | undefined>();
  const end = async () => {
    clock.set(clock.now() + 31_000);
    const row = await stored();
    seen.add(row?.attempts);
    return row?.state;
  };
  await expect.poll(end).toBe('failed');
  // It was tried again before it was given up.
  expect(Math.max(...[...seen].map((attempts) => attempts ?? 0))).toBeGreaterThanOrEqual(5);
});

describe('upload', () => {
  const refusalOf = async (admin: Person, content: string | Buffer, name = 'patients.csv') => {
    const { status, problem } = await admin.call(uploadCsv, { query: {}, upload: formOf(name, content) });
    return [status, problem.code];
  };

  test('refuses other names and other kinds of files', async () => {
    const { admin, companyId } = await buildClinic();
    expect(await refusalOf(admin, file(ann), 'patients.xlsx')).toEqual([415, 'not-csv']);
    expect(await refusalOf(admin, Buffer.from('504b0304140006000800', 'hex'))).toEqual([415, 'not-csv']);
    expect(await refusalOf(admin, Buffer.from('a,b\0c\r\n'))).toEqual([415, 'not-csv']);
    expect(await refusalOf(admin, '')).toEqual([415, 'not-csv']);
    expect(await Readable.from(context.blobs.list(companyId)).toArray()).toEqual([]);
  });

  /** One line, MB. `IMPORT_FILES=10000` for a larger one, too. */
  const sizes = Number(process.env.IMPORT_FILES ?? 300) > 1000 ? [1, 300] : [1];

  test.each(sizes)(
    'refuses %i MB in one line, and names the line',
    async (size) => {
      const { admin, companyId } = await buildClinic();
      const line = Buffer.alloc(size * 1024 * 1024, 'First Name,Last Name,');
      const tooLong = (at: number) => [
        422,
        'first-row',
        `Line ${at} of this file can’t be read. This row is too long. A quotation mark or a line break may be missing. Please correct it and upload the file again.`,
      ];
      const answerTo = async (...parts: readonly Buffer[]) => {
        const { status, problem } = await admin.call(uploadCsv, {
          query: {},
          upload: formOf('patients.csv', Buffer.concat(parts)),
        });
        return [status, problem.code, problem.title];
      };
      expect(await answerTo(line)).toEqual(tooLong(1));
      expect(await answerTo(line, Buffer.from(`\r\n${ann}\r\n`))).toEqual(tooLong(1));
      expect(await answerTo(Buffer.from('\r\n\r\n'), line)).toEqual(tooLong(3));
      expect(await answerTo(Buffer.from('sep=,\r\n"'), line)).toEqual(tooLong(2));
      expect(await Readable.from(context.blobs.list(companyId)).toArray()).toEqual([]);
      // Of another row it is said beside the mapping.
      const rest = Buffer.from(`\r\n${ann}\r\n`);
      const { places } = await upload(admin, Buffer.concat([Buffer.from(file()), line, rest]));
      expect(places).toEqual([
        { line: 1, fault: null },
        { line: 2, fault: 'too-long' },
      ]);
    },
    120_000,
  );

  test('refuses a first row with a quotation mark in the wrong place; of other rows, says it beside the mapping', async () => {
    const { admin } = await buildClinic();
    const first = { query: {}, upload: formOf('patients.csv', file(ann).replace('Last Name', '"La"st Name"')) };
    expect((await admin.call(uploadCsv, first)).problem).toMatchObject({
      code: 'first-row',
      title: expect.stringMatching(/^Line 1 of this file can’t be read\. A quotation mark is in the wrong place/),
    });
    const rows = ['X3,"Cy\r\nDee",Fox,1/5/1980,2125550123,', 'X4,"G"uy",Fox,1/5/1980,2125550124,'];
    const { definition, places } = await upload(admin, file(ann, ...rows, bob));
    expect(places).toEqual([
      { line: 1, fault: null },
      { line: 2, fault: null },
      { line: 3, fault: null },
      { line: 5, fault: 'quote' },
      { line: 6, fault: null },
    ]);
    await check(app, admin, definition);
    const { problems } = (await admin.call(getCsvImport, { params: { fileId: definition.fileId } })).json;
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [3, 'hidden'],
      [5, 'quote'],
    ]);
    // With another separator the first row has a fault: it is shown, and the separator can be changed back.
    const { fileId, ...other } = await upload(admin, file(ann).replace('External ID', 'x;"External ID"'));
    expect([other.definition.separator, other.places[0]]).toEqual([',', { line: 1, fault: null }]);
    const query = { encoding: 'utf-8', separator: ';' } as const;
    const { places: read } = (await admin.call(getCsvColumns, { params: { fileId }, query })).json;
    expect(read).toEqual([{ line: 1, fault: 'open-quote' }]);
  });

  test.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${file(ann.replace('Ann', 'Zoë'))}`), 'utf-8', ','],
    [
      'UTF-16 with a mark',
      Buffer.from(`\ufeff${file(ann.replace('Ann', 'Zoë')).replaceAll(',', '\t')}`, 'utf16le'),
      'utf-16le',
      '\t',
    ],
    ['UTF-16 without a mark', Buffer.from(file(ann.replace('Ann', 'Zoë')), 'utf16le'), 'utf-16le', ','],
    [
      'UTF-16 in the other order',
      Buffer.from(`\ufeff${file(ann.replace('Ann', 'Zoë'))}`, 'utf16le').swap16(),
      'utf-16be',
      ',',
    ],
    [
      'Windows-1252 with semicolons',
      Buffer.from(file(ann.replace('Ann', 'Zoë')).replaceAll(',', ';'), 'latin1'),
      'windows-1252',
      ';',
    ],
    [
      'a line that names the separator',
      Buffer.from(`sep=|\r\n${file(ann.replace('Ann', 'Zoë')).replaceAll(',', '|')}`),
      'utf-8',
      '|',
    ],
  ])('%s: is read', async (_name, bytes, encoding, separator) => {
    const { admin, companyId } = await buildClinic();
    const { definition, rows } = await upload(admin, bytes);
    expect([definition.encoding, definition.separator, rows[1]?.[1]]).toEqual([encoding, separator, 'Zoë']);
    await check(app, admin, definition);
    await admin.call(parseCsv, { body: definition });
    expect(await settled(app, admin, definition.fileId)).toMatchObject({ state: 'done', created: 1, wrong: 0 });
    expect(await patientsOf(companyId)).toEqual(['Zoë|Lee|1980-01-05|ann@x.test|X1|+12125550123']);
  });

  test.each([
    ['with a mark and a byte of another encoding', '\ufeff', Buffer.from([0xe9]), ''],
    ['without a mark, with such a byte', '', Buffer.from([0xe9]), ''],
    ['with a mark, cut off inside its last character', '\ufeff', Buffer.from([0xc3]), null],
    ['without a mark, cut off inside its last character', '', Buffer.from([0xc3]), null],
  ])('UTF-8 %s: what cannot be read is refused with its line', async (_name, mark, bytes, rest) => {
    const { admin, companyId } = await buildClinic();
    const good = `${mark}First Name,Last Name,DOB,Phone,Email\r\nZoë,Lee,1/5/1980,2125550123,\r\n`;
    const row = rest === null ? 'Bob,Fox,1/5/1980,2125550124,b@x.test ' : 'Ren';
    const end = rest === null ? '' : `,Fox,1/5/1980,2125550124,b@x.test${rest}\r\n`;
    const { definition } = await upload(admin, Buffer.concat([Buffer.from(good + row), bytes, Buffer.from(end)]));
    expect(definition.encoding).toBe('utf-8');
    expect(await check(app, admin, definition)).toMatchObject({ created: 1, wrong: 1 });
    const found = (await admin.call(getCsvImport, { params: { fileId: definition.fileId } })).json;
    expect(found.problems.map(({ line, code }) => [line, code])).toEqual([[3, 'unreadable']]);
    await admin.call(parseCsv, { body: definition });
    await settled(app, admin, definition.fileId);
    expect(await patientsOf(companyId)).toEqual(['Zoë|Lee|1980-01-05|||+12125550123']);
  });

  test('Windows-1252 with hardly any letters beyond ASCII: stays Windows-1252', async () => {
    const { admin } = await buildClinic();
    const { definition, rows } = await upload(admin, Buffer.from(file(ann.replace('Ann', 'Zoë\u00a0é')), 'latin1'));
    expect([definition.encoding, rows[1]?.[1]]).toEqual(['windows-1252', 'Zoë\u00a0é']);
  });

  test('shows the columns as another encoding reads them, and euro signs of Windows', async () => {
    const { admin } = await buildClinic();
    const bytes = Buffer.from([0x4e, 0x61, 0x6d, 0x65, 0x2c, 0x62, 0x0a, 0x80, 0xe9, 0x2c, 0x31, 0x0a]);
    const { fileId, definition, rows } = await upload(admin, bytes);
    expect([definition.encoding, rows[1]?.[0]]).toEqual(['windows-1252', '€é']);
    const query = { encoding: 'macintosh', separator: ',' } as const;
    expect((await admin.call(getCsvColumns, { params: { fileId }, query })).json.rows[1]?.[0]).toBe('ÄÈ');
  });

  test('belongs to its company', async () => {
    const { admin } = await buildClinic();
    const { admin: stranger } = await buildClinic();
    const { fileId, definition } = await upload(admin, file(ann));
    const params = { fileId };
    expect((await stranger.call(getCsvImport, { params })).status).toBe(404);
    expect((await stranger.call(getCsvColumns, { params, query: { encoding: 'utf-8', separator: ',' } })).status).toBe(
      404,
    );
    expect((await stranger.call(checkCsv, { body: definition })).status).toBe(404);
    expect((await stranger.call(cancelCsvImport, { params, body: { keep: false } })).status).toBe(404);
    expect((await stranger.call(getCsvProgress, { query: { fileId } })).json.import).toBeNull();
    expect((await admin.call(getCsvImport, { params })).status).toBe(200);
  });
});
