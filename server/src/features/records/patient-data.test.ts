import { erasePatient as erasePatientCall } from '@roomside/contract/patients/calls.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildRecords } from '../../../test/build-records.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { erasePatient } from './erase-patient.ts';
import { exportPatient } from './export-patient.ts';
import { lockForRecord } from './lock-for-record.ts';
import { listedTables } from './record-tables.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
// A test moves the clock a day ahead: to the daily sweep a file that the next one writes would be a day old.
beforeEach(() => clock.set(Date.now()));
afterAll(() => owner.end());

/** In every text about a patient. */
const word = 'Canaryword';
const phone = '2125559876';

interface Built {
  readonly companyId: number;
  readonly patientId: number;
  readonly mergedId: number;
}

/** Creates a patient and another one who was merged into them, with records of both. */
async function buildPerson(): Promise<Built> {
  const { companyId } = await buildCompany(context);
  const named = {
    companyId,
    firstName: word,
    lastName: word,
    email: `${word}@x.test`,
    externalId: word,
    phones: [phone],
  };
  const { patientId } = await buildPatient(context, named);
  const { patientId: mergedId } = await buildPatient(context, named);
  for (const id of [patientId, mergedId]) await buildRecords(context, { companyId, patientId: id, word });
  await context.db.open({ kind: 'company', companyId }, (tx) =>
    sql`select merge_patient(${mergedId}, ${patientId}, ${isoNow(clock)})`.execute(tx),
  );
  return { companyId, patientId, mergedId };
}

const exported = ({ companyId, patientId }: Pick<Built, 'companyId' | 'patientId'>) =>
  context.db.open({ kind: 'job', companyId }, (tx) => exportPatient(tx, context, companyId, patientId));
const erase = ({ companyId, patientId }: Built) =>
  context.db.open({ kind: 'job', companyId }, (tx) => erasePatient(tx, companyId, patientId, isoNow(clock)));

/** All records of the company, as they are stored. */
async function stored(companyId: number): Promise<string> {
  const all: string[] = [];
  for (const [table] of listedTables) {
    const { rows } = await owner.query<{ row: string }>(
      `select to_jsonb(r)::text as row from ${table} r where company_id = $1`,
      [companyId],
    );
    all.push(...rows.map(({ row }) => row));
  }
  return all.join('\n');
}

describe('exportPatient', () => {
  test('returns the rows and opened texts of a patient and of those merged into them, without codes and keys', async () => {
    const person = await buildPerson();
    const other = await buildPerson();
    const { tables, blobs } = await exported(person);
    const uids = [
      ...(tables['files'] ?? []).map((row) => row['file_uid']),
      ...(tables['photos'] ?? []).map((row) => row['file_uid']),
      ...(tables['recording_blobs'] ?? []).map((row) => row['blob_uid']),
    ];
    expect(uids).toHaveLength(6);
    expect(new Set(blobs.map(({ uid }) => uid))).toEqual(new Set(uids));
    expect(blobs.every(({ companyId }) => companyId === person.companyId)).toBe(true);
    expect(tables['files']).toMatchObject([{ name: `${word}.txt` }, { name: `${word}.txt` }]);
    const expected = listedTables.filter(([, { withheld }]) => withheld !== 'all').map(([table]) => table);
    expect(Object.keys(tables)).toEqual(expected);
    expect(tables['patients']).toMatchObject([
      { patient_id: person.patientId, last_name: word, merged_into: null },
      { patient_id: person.mergedId, last_name: word, merged_into: person.patientId },
    ]);
    expect(tables['appointments']).toMatchObject([{ notes: `${word} notes` }, { notes: `${word} notes` }]);
    expect(tables['chat_messages']).toMatchObject([{ payload: `${word} chat` }, { payload: `${word} chat` }]);
    expect(tables['ledger']).toMatchObject([{ amount: '5.00' }, { amount: '5.00' }]);
    const text = JSON.stringify(tables);
    for (const hidden of ['"code_hash"', '"code_cipher"', '"search"', '"seed"', `:${other.patientId},`])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
  });

  test('a patient of another company, or who was merged into another: is not found', async () => {
    const [person, other] = [await buildPerson(), await buildPerson()];
    for (const wrong of [
      { ...person, companyId: other.companyId },
      { ...person, patientId: person.mergedId },
    ])
      await expect(exported(wrong)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('erasePatient', () => {
  test('leaves no word of the patient, and keeps payments', async () => {
    const person = await buildPerson();
    expect(await stored(person.companyId)).toContain(word);
    clock.set(clock.now() + 86_400_000);
    const { blobs } = await exported(person);
    expect(await erase(person)).toEqual(blobs);
    expect(await stored(person.companyId)).not.toMatch(new RegExp(`${word}|${phone}`, 'i'));
    const { tables: after } = await exported(person);
    expect(JSON.stringify(after)).not.toContain(word);
    expect(after['ledger']).toHaveLength(2);
    expect(after['patients']).toMatchObject([{ archived_at: expect.any(String) }, { archived_at: expect.any(String) }]);
  });

  test('while another patient is merged into them: waits, and leaves no word of either', async () => {
    const person = await buildPerson();
    const { companyId } = person;
    const { patientId: third } = await buildPatient(context, { companyId, lastName: word, phones: [phone] });
    clock.set(clock.now() + 86_400_000);
    const merged = await holdUntilBlocking(context, companyId, (tx) =>
      sql`select merge_patient(${third}, ${person.patientId}, ${isoNow(clock)})`.execute(tx),
    );
    await Promise.all([merged(), erase(person)]);
    expect(await stored(companyId)).not.toMatch(new RegExp(`${word}|${phone}`, 'i'));
  });

  test('while they are merged into another patient: waits, and is refused', async () => {
    const person = await buildPerson();
    const { companyId } = person;
    const { patientId: other } = await buildPatient(context, { companyId });
    clock.set(clock.now() + 86_400_000);
    const merged = await holdUntilBlocking(context, companyId, (tx) =>
      sql`select merge_patient(${person.patientId}, ${other}, ${isoNow(clock)})`.execute(tx),
    );
    await expect(erase(person)).rejects.toMatchObject({ code: 'not-found' });
    await merged();
    expect(await stored(companyId)).toContain(word);
  });

  test('while an appointment is moved to tomorrow: waits, and is refused', async () => {
    const person = await buildPerson();
    const { companyId, patientId } = person;
    clock.set(clock.now() + 86_400_000);
    const [starts_at, ends_at] = [1, 2].map((days) => new Date(clock.now() + days * 86_400_000).toISOString());
    const moved = await holdUntilBlocking(context, companyId, (tx) =>
      tx.updateTable('appointments').set({ starts_at, ends_at }).where('patient_id', '=', patientId).execute(),
    );
    await expect(erase(person)).rejects.toMatchObject({ code: 'has-appointments' });
    await moved();
  });

  test('a file, a recording, notes or a form that arrives later: is refused', async () => {
    const person = await buildPerson();
    const { companyId, patientId } = person;
    const [row] = (
      await owner.query('select appointment_id as id from appointments where patient_id = $1', [patientId])
    ).rows;
    const lock = () =>
      context.db.open({ kind: 'job', companyId }, (tx) => lockForRecord(tx, { appointment_id: Number(row.id) }));
    expect(await lock()).toEqual({ appointmentId: Number(row.id), patientId });
    clock.set(clock.now() + 86_400_000);
    const versions = async () =>
      (await owner.query('select version, notes_version from appointments where appointment_id = $1', [row.id]))
        .rows[0];
    const before = await versions();
    await erase(person);
    // Notes and forms that are open on a page are stale.
    const { version, notes_version } = await versions();
    expect([version, notes_version]).toEqual([before.version + 1, before.notes_version + 1]);
    await expect(lock()).rejects.toMatchObject({ code: 'not-found' });
  });

  test('is refused while an appointment is upcoming', async () => {
    const person = await buildPerson();
    const startDate = new Date(clock.now() + 3_600_000).toISOString();
    await buildAppointment(context, { companyId: person.companyId, patientId: person.patientId, startDate });
    await expect(erase(person)).rejects.toMatchObject({ code: 'has-appointments' });
    expect(await stored(person.companyId)).toContain(word);
  });

  test('is refused during a visit', async () => {
    const person = await buildPerson();
    const { mergedId, patientId } = person;
    for (const id of [mergedId, patientId]) {
      await owner.query('update peers set left_at = null where patient_id = $1', [id]);
      await owner.query('update visits set patient_present_at = now() where patient_id = $1', [id]);
    }
    clock.set(clock.now() + 86_400_000);
    await expect(erase(person)).rejects.toMatchObject({ code: 'patient-present' });
    expect(await stored(person.companyId)).toContain(word);
  });
});

describe('the call erasePatient', () => {
  test('erases with the current password of an administrator, deletes the files, and is audited with the reason', async () => {
    const person = await buildPerson();
    const { companyId, patientId } = person;
    clock.set(clock.now() + 86_400_000);
    const { email } = await buildUser(context, { companyId, role: 'A', password });
    const admin = await app.signIn({ email, password });
    const erasing = (currentPassword: string, by = admin) =>
      by.call(erasePatientCall, { params: { patientId }, body: { currentPassword, reason: 'asked' } });
    const { blobs } = await exported(person);
    const [first] = blobs;
    if (!first) throw new Error('The patient has no files.');

    const wrong = await erasing('not the password');
    expect([wrong.status, wrong.problem.code]).toEqual([422, 'wrong-password']);
    expect(wrong.problem.fields).toHaveProperty('currentPassword');
    const { companyId: otherId } = await buildCompany(context);
    const foreign = await buildUser(context, { companyId: otherId, role: 'A', password });
    expect((await erasing(password, await app.signIn({ email: foreign.email, password }))).status).toBe(404);
    const { email: doctor } = await buildUser(context, { companyId, role: 'D', password });
    expect((await erasing(password, await app.signIn({ email: doctor, password }))).status).toBe(403);
    expect(await stored(companyId)).toContain(word);

    const added = await watchAudit(app);
    expect((await erasing(password)).status).toBe(204);
    expect(await stored(companyId)).not.toMatch(new RegExp(`${word}|${phone}`, 'i'));
    await expect.poll(() => context.blobs.read(first)).toBeNull();
    const rows = (await added()).filter(({ action }) => action === 'erasePatient');
    expect(rows).toMatchObject([{ objects: { patientId, reason: 'asked' } }]);
  });

  test('administrator without a password: erases after a fresh sign-in, and not later without confirming', async () => {
    const { companyId, patientId } = await buildPerson();
    clock.set(clock.now() + 86_400_000);
    const { userId, email } = await buildUser(context, { companyId, role: 'A', password });
    const admin = await app.signIn({ email, password });
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx.updateTable('users').set({ password_hash: null }).where('user_id', '=', userId).execute(),
    );
    const signedInAt = clock.now();
    const erasing = (more: object = {}) =>
      admin.call(erasePatientCall, { params: { patientId }, body: { reason: 'asked', ...more } });
    clock.set(signedInAt + 5 * 60_000 + 1);
    expect((await erasing({ currentPassword: password })).problem.code).toBe('confirm-identity');
    expect(await stored(companyId)).toContain(word);
    clock.set(signedInAt + 60_000);
    expect((await erasing()).status).toBe(204);
    expect(await stored(companyId)).not.toContain(word);
  });
});
