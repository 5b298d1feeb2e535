import { Readable } from 'node:stream';
import { confirmIdentity } from '@roomside/contract/account-security/calls.ts';
import { listAuditLog } from '@roomside/contract/audit/calls.ts';
import { type CompanyBody, getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { countOverdue, getRetention, type Retention, saveRetention } from '@roomside/contract/retention/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildRecords } from '../../../test/build-records.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { deleteOverdue } from './overdue.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
const start = Date.now();
beforeEach(() => clock.set(start));
afterAll(() => owner.end());

const forEver: Retention = { chats: null, files: null, recordings: null };
const tables = ['chat_messages', 'files', 'photos', 'recordings', 'recording_blobs'];
/** What an administrator saves of the company. */
const ownFields =
  'companyId version companyName timeZone remindBeforeMin startHour endHour slot duration limit selfPayFee notifyUsersMin noticeHours genericSchedule confirmBookings allowRecording notifyProviders'.split(
    ' ',
  );
const monthMs = 31 * 86_400_000;

/** A company with the records of one patient, made now. */
async function buildClinic() {
  const { companyId } = await buildCompany(context);
  const { email, userId } = await buildUser(context, { companyId, role: 'A', password });
  const { patientId } = await buildPatient(context, { companyId });
  await buildRecords(context, { companyId, patientId });
  return { companyId, userId, email, patientId };
}

async function save(admin: Person, retention: Retention) {
  await admin.call(confirmIdentity, { body: { currentPassword: password } });
  const { version } = (await admin.call(getRetention)).json;
  return admin.call(saveRetention, { body: { ...retention, version } });
}

/** How many rows a company has in the tables that grow old, and how many contents. */
async function stored(companyId: number) {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await owner.query<{ n: number }>(`select count(*)::int as n from ${table} where company_id = $1`, [
      companyId,
    ]);
    counts[table] = rows[0]?.n ?? -1;
  }
  return { ...counts, contents: (await Readable.from(context.blobs.list(companyId)).toArray()).length };
}
const all = { chat_messages: 1, files: 1, photos: 1, recordings: 1, recording_blobs: 1, contents: 3 };

test('records are kept as long as the settings say, then rows and contents are deleted, of this company only', async () => {
  const clinic = await buildClinic();
  const other = await buildClinic();
  const { companyId } = clinic;
  const admin = await app.signIn({ email: clinic.email, password });
  expect((await admin.call(getRetention)).json).toMatchObject(forEver);
  const saved = await save(admin, { ...forEver, recordings: 1, files: 3 });
  expect(saved.status).toBe(200);
  const rows = await watchAudit(app);

  clock.set(start + 27 * 86_400_000);
  await deleteOverdue(context);
  expect(await stored(companyId)).toEqual(all);
  /** What is stored after the daily run. A step of the clock runs the schedules, unless the run before has not ended. */
  const storedAt = (ms: number) => {
    clock.set(ms);
    return stored(companyId);
  };
  await expect
    .poll(() => storedAt(start + monthMs + 86_400_000))
    .toEqual({ ...all, recordings: 0, recording_blobs: 0, contents: 2 });
  await expect
    .poll(() => storedAt(start + 4 * monthMs))
    .toEqual({ chat_messages: 1, files: 0, photos: 0, recordings: 0, recording_blobs: 0, contents: 0 });
  expect(await stored(other.companyId)).toEqual(all);
  const written = (await rows()).filter((row) => row.action === 'deleteOverdue' && row.company_id === companyId);
  expect(written.map(({ company_id, actor, objects }) => [company_id, actor, objects])).toEqual([
    [companyId, 'system', { deleted: ['1 recording_blobs'] }],
    [companyId, 'system', { deleted: ['1 files', '1 photos'] }],
  ]);
  // That the visit was recorded, and who allowed it, stays.
  for (const table of ['recording_runs', 'recording_consents']) {
    const { rows: kept } = await owner.query(`select from ${table} where company_id = $1`, [companyId]);
    expect([table, kept.length]).toEqual([table, 1]);
  }
});

test('audit log: says what is kept, and what the daily run deleted', async () => {
  const { email } = await buildClinic();
  const admin = await app.signIn({ email, password });
  expect((await save(admin, { ...forEver, files: 18, recordings: 12 })).status).toBe(200);
  clock.set(start + 19 * monthMs);
  await deleteOverdue(context);
  await context.security.flush();
  const by = await app.signIn({ email, password });
  const { data } = (await by.call(listAuditLog, { query: { top: 50, skip: 0 } })).json;
  const detailsOf = (name: string) => data.find(({ action }) => action === name)?.details;
  expect(detailsOf('saveRetention')).toBe('Kept: chats forever, files and photos for 18 months, recordings for 1 year');
  expect(detailsOf('deleteOverdue')).toBe('Deleted: 1 file, 1 photo, 1 part of a recording');
});

test('many records: are deleted in batches until none is left', async () => {
  const { companyId, patientId, email } = await buildClinic();
  for (let i = 0; i < 4; i += 1) await buildRecords(context, { companyId, patientId });
  await save(await app.signIn({ email, password }), { chats: 1, files: 1, recordings: 1 });
  const rows = await watchAudit(app);
  const later = { ...context, clock: { ...clock, now: () => start + 2 * monthMs } };
  await deleteOverdue(later, { batchSize: 2 });
  expect(await stored(companyId)).toEqual(Object.fromEntries(Object.keys(all).map((name) => [name, 0])));
  const written = (await rows()).filter(({ action }) => action === 'deleteOverdue');
  expect(written.map(({ objects }) => objects['deleted'])).toEqual([
    ['2 chat_messages', '2 files', '2 photos', '2 recording_blobs'],
    ['2 chat_messages', '2 files', '2 photos', '2 recording_blobs'],
    ['1 chat_messages', '1 files', '1 photos', '1 recording_blobs'],
  ]);
});

test('countOverdue: says what the next run would delete, and deletes nothing', async () => {
  const clinic = await buildClinic();
  clock.set(start + 2 * monthMs);
  const admin = await app.signIn({ email: clinic.email, password });
  const count = async (query: Partial<Record<keyof Retention, number>>) =>
    (await admin.call(countOverdue, { query })).json;
  expect(await count({})).toEqual({ chats: 0, files: 0, recordings: 0 });
  expect(await count({ chats: 1, files: 1, recordings: 3 })).toEqual({ chats: 1, files: 2, recordings: 0 });
  expect(await stored(clinic.companyId)).toEqual(all);
});

test('settings: need the password again, whole months and the version that was read; saving the company keeps them', async () => {
  const clinic = await buildClinic();
  const admin = await app.signIn({ email: clinic.email, password });
  const unconfirmed = await admin.call(saveRetention, { body: { ...forEver, chats: 12, version: 0 } });
  expect([unconfirmed.status, unconfirmed.problem.code]).toEqual([403, 'confirm-identity']);
  expect((await save(admin, { ...forEver, chats: 12 })).json).toEqual({ version: 1 });
  for (const chats of [0, -1, 1.5, 1201]) {
    const refused = await admin.call(saveRetention, { body: { ...forEver, chats, version: 1 } });
    expect([chats, refused.status]).toEqual([chats, 422]);
  }
  const stale = await admin.call(saveRetention, { body: { ...forEver, version: 0 } });
  expect([stale.status, stale.problem.current]).toEqual([409, { version: 1 }]);
  const { json: read } = await admin.call(getCompany, { params: { companyId: 0 } });
  const company = Object.fromEntries(Object.entries(read).filter(([name]) => ownFields.includes(name))) as CompanyBody;
  expect((await admin.call(saveCompany, { body: company })).status).toBe(200);
  expect((await admin.call(getRetention)).json).toEqual({ ...forEver, chats: 12, version: 2 });
});

test('messages: are deleted by jobs only', async () => {
  const { companyId } = await buildClinic();
  const deleted = await context.db.open({ kind: 'company', companyId }, (tx) =>
    tx.deleteFrom('chat_messages').executeTakeFirst(),
  );
  expect(Number(deleted.numDeletedRows)).toBe(0);
});
