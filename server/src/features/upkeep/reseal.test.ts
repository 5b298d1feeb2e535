import { getAppointment, notifyAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { getVisitCalendar } from '@roomside/contract/room/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { password, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { openDatabase, type Tx } from '../../platform/database/database.ts';
import { changeSecret, type Keys, openKeys } from '../../platform/keys.ts';
import { companiesToReseal, reseal, supersedeKey } from './reseal.ts';

const secret = 'test-secret-test-secret-test-secret!';
const hour = 3_600_000;
let app: TestApp;
let owner: pg.Client;
let email: string;
let companyId: number;
let appointment: BuiltAppointment;

beforeAll(async () => {
  app = await startTestApp();
  owner = new pg.Client(app.database.owner);
  await owner.connect();
  ({ companyId } = await buildCompany(app.context));
  const user = await buildUser(app.context, { companyId, role: 'A', password });
  email = user.email;
  const { patientId } = await buildPatient(app.context, { companyId });
  appointment = await buildAppointment(app.context, { companyId, doctorId: user.userId, patientId });
});
afterAll(() => owner.end());

const query = async <Row>(sql: string, values: unknown[] = []) => (await owner.query(sql, values)).rows as Row[];
const keysOf = (id: number) =>
  query<{ id: string; old: boolean }>(
    'select key_id as id, superseded_at is not null as old from data_keys where company_id = $1 order by key_id',
    [id],
  );
/** Signs in again each time, since these tests move the clock by hours. */
async function read(appointmentId = appointment.appointmentId) {
  const staff = await app.signIn({ email, password });
  return staff.call(getAppointment, { params: { appointmentId } });
}

describe('data key of a company', () => {
  test('is created by the first value that needs it, one per company', async () => {
    const other = await buildAppointment(app.context);
    expect(await keysOf(companyId)).toHaveLength(1);
    expect(await keysOf(other.companyId)).toHaveLength(1);
    const bare = await buildCompany(app.context);
    expect(await keysOf(bare.companyId)).toEqual([]);
  });

  test('is not cached when the transaction that created it is rolled back', async () => {
    const { companyId: fresh } = await buildCompany(app.context);
    const { db, keys } = app.context;
    const now = new Date(app.clock.now()).toISOString();
    const gone = await db
      .open({ kind: 'job', companyId: fresh }, async (tx) => {
        // Twice: also a key that the same transaction has read again may be rolled back.
        await keys.data.current(tx, fresh, now);
        throw Object.assign(new Error('rolled back'), { key: await keys.data.current(tx, fresh, now) });
      })
      .catch((error: { key: { id: number } }) => error.key);
    const kept = await db.open({ kind: 'job', companyId: fresh }, (tx) => keys.data.current(tx, fresh, now));
    expect(kept.id).not.toBe(gone.id);
    expect(await keysOf(fresh)).toEqual([{ id: String(kept.id), old: false }]);
  });

  test('is cached: a second use does not query the database', async () => {
    const { db, keys } = app.context;
    const now = new Date(app.clock.now()).toISOString();
    const { id } = await db.open({ kind: 'job', companyId }, (tx) => keys.data.current(tx, companyId, now));
    await db.open({ kind: 'job', companyId }, (tx) => keys.data.byId(tx, companyId, id));
    const failingTx = new Proxy({} as Tx, {
      get: () => {
        throw new Error('The database was queried.');
      },
    });
    expect((await keys.data.current(failingTx, companyId, now)).id).toBe(id);
    expect((await keys.data.byId(failingTx, companyId, id)).id).toBe(id);
    await expect(keys.data.byId(failingTx, companyId, id + 1)).rejects.toThrow('The database was queried.');
  });

  test('is created once by simultaneous transactions', async () => {
    const { companyId: fresh } = await buildCompany(app.context);
    const { db, keys } = app.context;
    const made = await Promise.all(
      Array.from({ length: 12 }, () =>
        db.open({ kind: 'job', companyId: fresh }, (tx) =>
          keys.data.current(tx, fresh, new Date(app.clock.now()).toISOString()),
        ),
      ),
    );
    expect(new Set(made.map((key) => key.id)).size).toBe(1);
    expect(await keysOf(fresh)).toHaveLength(1);
  });

  test('cannot be read by a transaction of another company', async () => {
    const { companyId: other } = await buildCompany(app.context);
    const [key] = await keysOf(companyId);
    // New Keys have an empty cache, like another process.
    const db = openDatabase(app.database.application, () => {});
    const keys = await openKeys(db, secret);
    const asOther = db.open({ kind: 'job', companyId: other }, (tx) => keys.data.byId(tx, companyId, Number(key?.id)));
    await expect(asOther).rejects.toThrow('The key of a sealed value is gone.');
    await db.close();
  });
});

describe('reseal after supersedeKey', () => {
  test('seals every value again, and deletes the former key after an hour', async () => {
    const before = await keysOf(companyId);
    expect(await supersedeKey(app.context, companyId)).toBe(true);
    // The former key opens values until they are sealed again.
    expect((await read()).json.accessCode).toBe(appointment.accessCode);
    expect(await companiesToReseal(app.context)).toEqual([companyId]);
    expect(await reseal(app.context, companyId)).toEqual({ done: 1, unreadable: 0, kept: 1 });
    // While a change is unfinished, no third key is created.
    expect(await supersedeKey(app.context, companyId)).toBe(false);
    expect(await reseal(app.context, companyId)).toEqual({ done: 0, unreadable: 0, kept: 1 });
    // The server runs it each hour.
    app.clock.set(app.clock.now() + hour + 1);
    await expect.poll(() => companiesToReseal(app.context)).toEqual([]);
    const after = await keysOf(companyId);
    expect(after).toHaveLength(1);
    expect(after[0]?.id).not.toBe(before[0]?.id);
    expect((await read()).json.accessCode).toBe(appointment.accessCode);
  });

  test('locked row: is left for the next run, and its key is kept', async () => {
    await supersedeKey(app.context, companyId);
    await owner.query('begin');
    await owner.query('select from appointments where appointment_id = $1 for update', [appointment.appointmentId]);
    const [former] = await keysOf(companyId);
    await query('update data_keys set superseded_at = $2 where key_id = $1', [former?.id, '2020-01-01']);
    expect(await reseal(app.context, companyId)).toEqual({ done: 0, unreadable: 0, kept: 1 });
    await owner.query('commit');
    expect(await reseal(app.context, companyId)).toEqual({ done: 1, unreadable: 0, kept: 0 });
    expect((await read()).json.accessCode).toBe(appointment.accessCode);
  });
});

describe('unreadable access code', () => {
  test('the appointment and the link work, an invitation fails, and staff can create a new code', async () => {
    const broken = await buildAppointment(app.context, {
      companyId,
      doctorId: appointment.doctorId,
      patientId: appointment.patientId,
      startDate: new Date(app.clock.now() + 5 * hour).toISOString(),
    });
    await query(
      `update appointments set code_cipher = set_byte(code_cipher, 40, get_byte(code_cipher, 40) # 1) where appointment_id = $1`,
      [broken.appointmentId],
    );
    const shown = await read(broken.appointmentId);
    expect([shown.status, shown.json.accessCode]).toEqual([200, '']);
    expect(app.logged.some((line) => line.includes('an access code cannot be read'))).toBe(true);
    expect((await app.signInPatient(broken.accessCode)).token).toEqual(expect.any(String));
    const { appointmentId, version, startDate, doctorId, patientId, cancelled } = shown.json;
    // The calendar's link has no code. An invitation is not sent and its log has the reason.
    const staff = await app.signIn({ email, password });
    const calendar = await staff.call(getVisitCalendar, { params: { uid: broken.appointmentUid } });
    expect([calendar.status, calendar.text.includes('/#/link'), calendar.text.includes('/#/link/')]).toEqual([
      200,
      true,
      false,
    ]);
    await staff.call(notifyAppointment, { params: { appointmentId: broken.appointmentId } });
    await expect
      .poll(() =>
        query('select distinct state, error from notification_logs where appointment_id = $1', [broken.appointmentId]),
      )
      .toEqual([{ state: 'failed', error: expect.stringMatching(/^The access code could not be read\./) }]);
    const saved = await staff.call(saveAppointment, {
      body: {
        appointmentId,
        version,
        startDate,
        doctorId,
        patientId,
        cancelled,
        cancellationNotes: '',
        externalId: '',
        welcomeMessage: '',
        accessCode: '*',
      },
    });
    expect(saved.status).toBe(200);
    const made = (await read(broken.appointmentId)).json.accessCode;
    expect(made).toMatch(/^\w{12}$/);
    expect((await app.signInPatient(made)).token).toEqual(expect.any(String));
    await expect(app.signInPatient(broken.accessCode)).rejects.toThrow('Sign-in refused');
  });
});

describe('SECRET_KEY', () => {
  const next = 'another-secret-another-secret-another';

  test('wrong SECRET_KEY: openKeys throws one sentence, also for the second of two simultaneous first starts', async () => {
    await expect(openKeys(app.context.db, next)).rejects.toThrow(
      /^SECRET_KEY is not the one that this database was set up with: [^\n]*\.$/,
    );
    await owner.query('create table kept as select * from installation_keys');
    await owner.query('truncate installation_keys');
    const both = await Promise.allSettled([openKeys(app.context.db, secret), openKeys(app.context.db, next)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await owner.query('truncate installation_keys');
    const same = await Promise.all([openKeys(app.context.db, secret), openKeys(app.context.db, secret)]);
    expect(same[0].mac('code', 'x')).toEqual(same[1].mac('code', 'x'));
    await owner.query('truncate installation_keys');
    await owner.query('insert into installation_keys select * from kept');
  });

  test('changeSecret: keeps codes, sign-ins and content', async () => {
    const { db } = app.context;
    const [row] = await keysOf(companyId);
    const open = (with_: Keys) =>
      db.open({ kind: 'job', companyId }, (tx) => with_.data.byId(tx, companyId, Number(row?.id)));
    const before = await open(app.context.keys);
    await expect(changeSecret(db, 'a secret that never was the right one', next)).rejects.toThrow('SECRET_KEY is not');
    expect(await changeSecret(db, secret, next)).toBe(true);
    expect(await changeSecret(db, secret, next)).toBe(false);
    await expect(openKeys(db, secret)).rejects.toThrow('SECRET_KEY is not');
    const keys = await openKeys(db, next);
    expect(keys.mac('code', 'x')).toEqual(app.context.keys.mac('code', 'x'));
    expect(keys.mac('refresh', 'x')).toEqual(app.context.keys.mac('refresh', 'x'));
    expect(keys.token).toEqual(app.context.keys.token);
    expect((await open(keys)).bytes).toEqual(before.bytes);
    expect(await changeSecret(db, next, secret)).toBe(true);
  });
});
