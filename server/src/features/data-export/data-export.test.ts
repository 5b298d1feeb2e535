import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { confirmIdentity } from '@roomside/contract/account-security/calls.ts';
import {
  cancelDataExport,
  downloadDataExport,
  exportHours,
  getDataExport,
  openDataExport,
  startDataExport,
} from '@roomside/contract/data-export/calls.ts';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildFile } from '../../../test/build-file.ts';
import { buildRecords } from '../../../test/build-records.ts';
import { readZip } from '../../../test/read-zip.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { types } from '../../platform/database/driver.ts';
import { sealedColumns } from '../upkeep/reseal.ts';
import { listedExports } from './export-tables.ts';
import { runDataExports } from './run-exports.ts';

const app = await startTestApp({ demo: true });
const { context, clock } = app;
const owner = new pg.Client({ ...app.database.owner, types });
beforeAll(() => owner.connect());
beforeEach(() => clock.set(Date.now()));
afterAll(() => owner.end());

/** What a spreadsheet would run, and every character that CSV quotes. */
const nasty = '=1+"2",\n\'x';

interface Clinic {
  readonly companyId: number;
  readonly admin: Person;
  readonly userId: number;
  readonly email: string;
}

async function buildClinic(word = 'Canary'): Promise<Clinic & { patientId: number }> {
  const { companyId } = await buildCompany(context);
  const { email, userId } = await buildUser(context, { companyId, role: 'A', password });
  const { patientId } = await buildPatient(context, { companyId, firstName: word, phones: ['2125559876'] });
  await buildRecords(context, { companyId, patientId, word });
  return { companyId, userId, email, patientId, admin: await app.signIn({ email, password }) };
}

const confirm = ({ admin }: Clinic) => admin.call(confirmIdentity, { body: { currentPassword: password } });
const stateOf = async ({ admin }: Clinic) => (await admin.call(getDataExport)).json.export?.state;

/** Starts an export and waits until its archive is ready. */
async function createExport(clinic: Clinic): Promise<number> {
  expect((await confirm(clinic)).status).toBe(204);
  const started = await clinic.admin.call(startDataExport);
  expect(started.status).toBe(200);
  clock.set(clock.now());
  await expect.poll(() => stateOf(clinic)).toBe('ready');
  return started.json.exportId;
}

async function openExport(clinic: Clinic, exportId: number): Promise<string> {
  await confirm(clinic);
  const opened = await clinic.admin.call(openDataExport, { params: { exportId } });
  expect(opened.status).toBe(200);
  return `${app.url}${opened.json.address}`;
}

const blobsOf = async (companyId: number) =>
  ((await Readable.from(context.blobs.list(companyId)).toArray()) as string[]).toSorted();

/** The cells of a CSV file by header, as the README says that they are read. */
const readCsv = (bytes: Buffer | undefined): Record<string, string>[] =>
  parse(bytes ?? '', {
    columns: true,
    cast: (value, { header }) => (!header && value.startsWith("'") ? value.slice(1) : value),
  });

const textOf = (value: unknown) => (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value));

describe('export of all data', () => {
  test('has every row and content of the company, as another reader of ZIP and CSV sees them, and no secrets', async () => {
    const clinic = await buildClinic();
    const { companyId } = clinic;
    await buildClinic('Otherclinic');
    const { patientId } = await buildPatient(context, { companyId, firstName: nasty, lastName: 'É漢' });
    const { userId: doctorId } = await buildUser(context, { companyId });
    const { appointmentId } = await buildAppointment(context, { companyId, doctorId, patientId, notes: nasty });
    const content = randomBytes(300_000);
    await buildFile(context, { companyId, appointmentId, patientId }, { name: '../a/b:c?.pdf', content });
    const before = await blobsOf(companyId);
    const rows = await watchAudit(app);
    const exportId = await createExport(clinic);
    const mails = async () =>
      (
        await owner.query<{ body_text: string }>(
          `select body_text from outbox where recipient like $1 and subject like 'The export%'`,
          [`%${clinic.email}%`],
        )
      ).rows;
    await expect.poll(mails).toEqual([{ body_text: expect.stringContaining('#/admin/data') }]);
    expect(JSON.stringify(await mails())).not.toContain('Canary');
    const response = await fetch(await openExport(clinic, exportId));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="clinic-data-\d{4}-\d\d-\d\d\.zip"/,
    );
    const entries = await readZip(Buffer.from(await response.arrayBuffer()));

    for (const [table, { columns, blob }] of listedExports) {
      const found = readCsv(entries.get(`${table}.csv`));
      const names = Object.keys(columns);
      const head = (blob ? [...names, 'archive_path'] : names).join();
      expect(entries.get(`${table}.csv`)?.toString().split('\r\n')[0]).toBe(head);
      const sealed = sealedColumns.filter((one) => one.table === table).map(({ column }) => column);
      const plain = names.filter((name) => !sealed.includes(name));
      const { rows: stored } = await owner.query<Record<string, unknown>>(
        `select ${plain.join()} from ${table} where company_id = $1`,
        [companyId],
      );
      const lines = (all: Record<string, unknown>[]) =>
        all.map((row) => plain.map((name) => textOf(row[name])).join('|')).toSorted();
      expect([table, lines(found)]).toEqual([table, lines(stored)]);
    }
    const appointments = readCsv(entries.get('appointments.csv'));
    expect(new Set(appointments.map(({ notes }) => notes))).toEqual(new Set([nasty, 'Canary notes']));
    expect(readCsv(entries.get('chat_messages.csv')).map(({ payload }) => payload)).toEqual(['Canary chat']);
    expect(readCsv(entries.get('visit_guests.csv')).map(({ contact }) => contact)).toEqual(['Canary@example.test']);
    const files = readCsv(entries.get('files.csv'));
    const pdf = files.find(({ name }) => name === '../a/b:c?.pdf');
    expect(pdf?.['archive_path']).toBe(`files/${appointmentId}/${pdf?.['file_id']}-_a_b_c_.pdf`);
    expect(entries.get(pdf?.['archive_path'] ?? '')?.equals(content)).toBe(true);
    for (const table of ['photos', 'recording_blobs'])
      for (const { archive_path: place = '' } of readCsv(entries.get(`${table}.csv`)))
        expect([place, entries.get(place)?.toString()]).toEqual([place, expect.stringMatching(/^Canary/)]);
    expect(readCsv(entries.get('audit_log.csv')).map(({ action }) => action)).toContain('startDataExport');

    const manifest = readCsv(entries.get('manifest.csv'));
    expect(new Set(['manifest.csv', ...manifest.map(({ path }) => path)])).toEqual(new Set(entries.keys()));
    for (const { path = '', size, sha256, problem } of manifest) {
      const entry = entries.get(path) ?? Buffer.alloc(0);
      expect([path, size, sha256, problem]).toEqual([
        path,
        String(entry.length),
        createHash('sha256').update(entry).digest('hex'),
        '',
      ]);
    }
    const readme = entries.get('README.txt')?.toString() ?? '';
    for (const path of entries.keys()) if (path.endsWith('.csv')) expect(readme).toContain(path);

    const all = Buffer.concat([...entries.values()]).toString();
    expect(all).not.toContain('Otherclinic');
    const { rows: secrets } = await owner.query<{ secret: string }>(
      `select password_hash as secret from users where company_id = $1 and password_hash is not null
       union all select encode(code_hash, 'hex') from appointments where company_id = $1
       union all select encode(link_hash, 'hex') from visit_guests where company_id = $1
       union all select connection_id || instance_id from peers where company_id = $1`,
      [companyId],
    );
    expect(secrets.length).toBeGreaterThan(4);
    for (const { secret } of secrets) expect(all).not.toContain(secret);
    expect(all).not.toMatch(/\\x[0-9a-f]{8}|"type":"Buffer"/);

    // Downloaded once: then it is gone.
    await expect.poll(() => stateOf(clinic)).toBe('downloaded');
    await expect.poll(() => blobsOf(companyId)).toEqual(before);
    const again = await clinic.admin.call(openDataExport, { params: { exportId } });
    expect([again.status, again.problem.code]).toEqual([404, 'not-found']);
    const written = (await rows()).filter(({ action }) => action.endsWith('DataExport'));
    expect(written.map(({ action, actor, objects }) => [action, actor, objects])).toEqual(
      expect.arrayContaining([
        ['startDataExport', `A_${clinic.userId}`, { exportId }],
        ['finishDataExport', 'system', expect.objectContaining({ exportId, patients: 'all', userId: clinic.userId })],
        ['openDataExport', `A_${clinic.userId}`, { exportId }],
        ['downloadDataExport', `A_${clinic.userId}`, { exportId, patients: 'all' }],
        ['completeDataExport', `A_${clinic.userId}`, { exportId, patients: 'all' }],
      ]),
    );
  });

  test('needs the password again, and is one at a time', async () => {
    const clinic = await buildClinic();
    const refused = await clinic.admin.call(startDataExport);
    expect([refused.status, refused.problem.code]).toEqual([403, 'confirm-identity']);
    const exportId = await createExport(clinic);
    const second = await clinic.admin.call(startDataExport);
    expect([second.status, second.problem.code]).toEqual([409, 'stale']);
    // Six minutes later the password is needed again for the download.
    clock.set(clock.now() + 6 * 60_000);
    const unconfirmed = await clinic.admin.call(openDataExport, { params: { exportId } });
    expect([unconfirmed.status, unconfirmed.problem.code]).toEqual([403, 'confirm-identity']);
    const unopened = await clinic.admin.call(downloadDataExport, { params: { exportId } });
    expect([unopened.status, unopened.problem.code]).toEqual([404, 'not-found']);
  });

  test('an administrator of another company, and another administrator without the address: reach nothing', async () => {
    const clinic = await buildClinic();
    const other = await buildClinic();
    const { email } = await buildUser(context, { companyId: clinic.companyId, role: 'A', password });
    const colleague = await app.signIn({ email, password });
    const exportId = await createExport(clinic);
    await openExport(clinic, exportId);
    await confirm(other);
    expect((await other.admin.call(getDataExport)).json).toEqual({ export: null });
    for (const call of [openDataExport, downloadDataExport, cancelDataExport])
      expect([call.name, (await other.admin.call(call, { params: { exportId } })).status]).toEqual([call.name, 404]);
    expect((await colleague.call(downloadDataExport, { params: { exportId } })).status).toBe(404);
    expect(await stateOf(clinic)).toBe('ready');
  });

  test('a download that breaks off: is resumed with a range, and complete with the last byte', async () => {
    const clinic = await buildClinic();
    const { companyId, patientId } = clinic;
    const { userId: doctorId } = await buildUser(context, { companyId });
    const { appointmentId } = await buildAppointment(context, { companyId, doctorId, patientId });
    const content = randomBytes(12_000_000);
    await buildFile(context, { companyId, appointmentId, patientId }, { name: 'scan.bin', content });
    const exportId = await createExport(clinic);
    const address = await openExport(clinic, exportId);
    const aborting = new AbortController();
    const broken = await fetch(address, { signal: aborting.signal });
    const reader = broken.body?.getReader();
    const first = Buffer.from((await reader?.read())?.value ?? []);
    aborting.abort();
    const size = Number(broken.headers.get('content-length'));
    const delivered = async () =>
      (await owner.query<{ delivered: number }>('select delivered from data_exports where export_id = $1', [exportId]))
        .rows[0]?.delivered;
    await expect.poll(delivered).toBeGreaterThanOrEqual(first.length);
    expect(await stateOf(clinic)).toBe('ready');
    // The end alone, without what is between, does not count as complete.
    const tail = await fetch(address, { headers: { range: 'bytes=-10' } });
    expect([tail.status, (await tail.arrayBuffer()).byteLength]).toEqual([206, 10]);
    const range = { range: `bytes=${first.length}-`, 'if-range': broken.headers.get('etag') ?? '' };
    const resumed = await fetch(address, { headers: range });
    expect([resumed.status, resumed.headers.get('content-range')]).toEqual([
      206,
      `bytes ${first.length}-${size - 1}/${size}`,
    ]);
    expect(await stateOf(clinic)).toBe('ready');
    const bytes = Buffer.concat([first, Buffer.from(await resumed.arrayBuffer())]);
    const path = [...(await readZip(bytes)).entries()].find(([name]) => name.endsWith('scan.bin'));
    expect(path?.[1].equals(content)).toBe(true);
    await expect.poll(() => stateOf(clinic)).toBe('downloaded');
    expect((await fetch(address, { headers: { range: 'bytes=0-9' } })).status).toBe(404);
  });

  test('expires, and its archive is deleted', async () => {
    const clinic = await buildClinic();
    const before = await blobsOf(clinic.companyId);
    const exportId = await createExport(clinic);
    expect((await blobsOf(clinic.companyId)).length).toBe(before.length + 1);
    clock.set(clock.now() + exportHours * 3_600_000 + 1000);
    // Each step runs the deletion, unless it is still running.
    const left = () => {
      clock.set(clock.now());
      return blobsOf(clinic.companyId);
    };
    await expect.poll(left, { interval: 200 }).toEqual(before);
    const admin = await app.signIn({ email: clinic.email, password });
    const later = { ...clinic, admin };
    expect(await stateOf(later)).toBe('expired');
    await confirm(later);
    expect((await admin.call(openDataExport, { params: { exportId } })).status).toBe(404);
  });

  test('is cancelled: the archive is deleted, and another one can be started', async () => {
    const clinic = await buildClinic();
    const before = await blobsOf(clinic.companyId);
    const exportId = await createExport(clinic);
    expect((await clinic.admin.call(cancelDataExport, { params: { exportId } })).status).toBe(204);
    await expect.poll(() => blobsOf(clinic.companyId)).toEqual(before);
    expect((await clinic.admin.call(cancelDataExport, { params: { exportId } })).status).toBe(404);
    expect(await createExport(clinic)).not.toBe(exportId);
  });

  test('is cancelled while it is made: the worker stops, and leaves nothing', async () => {
    const clinic = await buildClinic();
    const { companyId } = clinic;
    const before = await blobsOf(companyId);
    // The worker has begun to write when it waits for this table.
    const locker = new pg.Client(app.database.owner);
    await locker.connect();
    await locker.query('begin');
    await locker.query('lock table photos in access exclusive mode');
    await confirm(clinic);
    const { exportId } = (await clinic.admin.call(startDataExport)).json;
    clock.set(clock.now());
    const parts = async () =>
      (await owner.query('select from data_export_parts where export_id = $1', [exportId])).rows.length;
    await expect.poll(parts).toBe(1);
    expect(await stateOf(clinic)).toBe('running');
    expect((await clinic.admin.call(cancelDataExport, { params: { exportId } })).status).toBe(204);
    // It notices when it renews its claim.
    clock.set(clock.now());
    await locker.query('rollback');
    await locker.end();
    // Its part has a row before it has a blob, and loses the row first.
    await expect.poll(async () => [await stateOf(clinic), await parts()]).toEqual(['cancelled', 0]);
    await expect.poll(() => blobsOf(companyId)).toEqual(before);
    await createExport(clinic);
  });

  test('a worker that comes back after another one has made the archive: leaves it', async () => {
    const { companyId, userId } = await buildClinic();
    const now = new Date(clock.now()).toISOString();
    const values = [companyId, userId, now];
    await owner.query('insert into data_exports (company_id, by_user_id, requested_at) values ($1, $2, $3)', values);
    const one = async (text: string) => (await owner.query(text, [companyId])).rows[0];
    const partsOf = () =>
      one('select count(*)::int as n, sum(size)::int as size from data_export_parts where company_id = $1');
    const suspended = Promise.withResolvers<void>();
    const put = context.blobs.put.bind(context.blobs);
    // The server's own run is the first worker.
    const suspending = vi.spyOn(context.blobs, 'put').mockImplementationOnce(async (...args) => {
      await suspended.promise;
      return put(...args);
    });
    onTestFinished(() => suspending.mockRestore());
    clock.set(clock.now());
    await expect.poll(partsOf).toEqual({ n: 1, size: null });
    await owner.query('update data_exports set lease_until = $2 where company_id = $1', [companyId, now]);
    await runDataExports(context);
    const made = await one('select state, size::int as size from data_exports where company_id = $1');
    expect(made).toEqual({ state: 'ready', size: expect.any(Number) });
    suspended.resolve();
    // The server begins the next one after it.
    await createExport(await buildClinic());
    expect(await partsOf()).toEqual({ n: 1, size: made.size });
  });

  test('a content that is missing or damaged: is named in the manifest, and the rest is there', async () => {
    const clinic = await buildClinic();
    const { companyId } = clinic;
    const { rows } = await owner.query<{ uid: string }>('select file_uid as uid from files where company_id = $1', [
      companyId,
    ]);
    await context.blobs.delete({ companyId, uid: rows[0]?.uid ?? '' });
    const exportId = await createExport(clinic);
    const entries = await readZip(Buffer.from(await (await fetch(await openExport(clinic, exportId))).arrayBuffer()));
    const problems = readCsv(entries.get('manifest.csv')).filter(({ problem }) => problem !== '');
    expect(problems).toMatchObject([{ path: expect.stringMatching(/^files\//), problem: 'The content is missing.' }]);
    expect([...entries.keys()].filter((path) => path.startsWith('photos/'))).toHaveLength(1);
  });
});
