import { listAttention } from '@roomside/contract/numbers/calls.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
clock.freeze();
// In New York it is still the day before.
clock.set(Date.parse('2026-11-18T02:00:00Z'));
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

const { email } = await buildUser(context, { companyId: null, password });
const root = await app.signIn({ email, password });
const list = async () => (await root.call(listAttention)).json.data;
const inNewYork = (expirationDate = '2099-12-31') =>
  buildCompany(context, { timeZone: 'America/New_York', expirationDate });
/** With it, administrators of the installation are not listed. */
const secureAll = () =>
  owner.query(
    `insert into passkeys (user_id, credential_id, public_key, counter, name, created_at)
     select user_id, 'key-' || user_id, '', 0, 'Key', now() from users u
     where not exists (select from passkeys k where k.user_id = u.user_id)`,
  );

test('administrators of the installation without a second factor: are counted, unless they are disabled', async () => {
  // Of a clinic: is counted there.
  await buildUser(context, { password });
  const second = await buildUser(context, { companyId: null });
  expect(await list()).toEqual([{ kind: 'supers-without-factor', count: 2, date: '' }]);
  await owner.query('update users set disabled = true where user_id = $1', [second.userId]);
  expect(await list()).toEqual([{ kind: 'supers-without-factor', count: 1, date: '' }]);
  await secureAll();
  expect(await list()).toEqual([]);
});

test('licenses: those that end within 30 days or have ended, as of today in the clinic’s zone, without disabled clinics', async () => {
  await secureAll();
  await inNewYork('2026-12-18');
  expect(await list()).toEqual([]);
  const { companyId: ending } = await inNewYork('2026-12-17');
  const end = { kind: 'licenses-end', count: 1, date: '2026-12-17', clinics: { count: 1, companyId: ending } };
  expect(await list()).toEqual([end]);
  const { companyId: tomorrow } = await inNewYork('2026-11-18');
  expect(await list()).toEqual([{ ...end, count: 2, date: '2026-11-18', clinics: { count: 2, companyId: null } }]);
  const { companyId: ended } = await inNewYork('2026-11-17');
  expect(await list()).toEqual([
    { kind: 'licenses-ended', count: 1, date: '2026-11-17', clinics: { count: 1, companyId: ended } },
    { ...end, count: 2, date: '2026-11-18', clinics: { count: 2, companyId: null } },
  ]);
  await owner.query('update companies set disabled = true where company_id = any($1)', [[tomorrow, ended, ending]]);
  expect(await list()).toEqual([]);
});

test('failed messages of the last day: are counted per method over all clinics, and contain nothing of them', async () => {
  await secureAll();
  const clinics = [await inNewYork(), await inNewYork()];
  const fail = async (at: 0 | 1, method: 'email' | 'text', hours: number, state = 'failed') => {
    const companyId = clinics[at]?.companyId ?? 0;
    const { appointmentId, patientId } = await buildAppointment(context, { companyId });
    await owner.query(
      `insert into notification_logs (company_id, appointment_id, patient_id, kind, method, due_at, state, created_at)
       values ($1, $2, $3, 'reminder', $4, $5, $6, $5)`,
      [companyId, appointmentId, patientId, method, new Date(clock.now() - hours * 3_600_000).toISOString(), state],
    );
  };
  await fail(0, 'email', 2);
  await fail(0, 'email', 3);
  await fail(1, 'email', 4);
  await fail(1, 'text', 23);
  await fail(0, 'text', 25);
  await fail(0, 'text', 1, 'sent');
  await fail(0, 'text', 1, 'queued');
  expect(await list()).toEqual([
    { kind: 'email-failing', count: 3, date: '', clinics: { count: 2, companyId: null } },
    { kind: 'texts-failing', count: 1, date: '', clinics: { count: 1, companyId: clinics[1]?.companyId } },
  ]);
  const { rows } = await owner.query("select objects from audit_log where action = 'listAttention'");
  expect(rows.every(({ objects }) => Object.keys(objects).length === 0)).toBe(true);
});
