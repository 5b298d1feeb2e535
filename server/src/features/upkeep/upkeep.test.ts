import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';
import { notificationQueue } from '../notifications/queue-notification.ts';
import { cleanUp } from './clean-up.ts';
import { failLostNotifications } from './fail-lost-notifications.ts';

const app = await startTestApp();
const { context, clock } = app;
const hour = 3_600_000;
const day = 24 * hour;
const ago = (ms: number) => new Date(clock.now() - ms).toISOString();

let owner: pg.Client;
beforeAll(async () => {
  owner = new pg.Client(app.database.owner);
  await owner.connect();
});
afterAll(() => owner.end());

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await owner.query<Row>(text, values)).rows;
const names = async (text: string, values: unknown[] = []) =>
  (await query<{ name: string }>(text, values)).map((row) => row.name);

describe('cleanUp', () => {
  test('sign-ins: are deleted a month after they were revoked or expired', async () => {
    const { userId } = await buildUser(context);
    const insertSignIn = (serial: string, ended: string | null, expires: string) =>
      query(
        `insert into sign_ins (kind, user_id, serial, seed, remember, created_at, rotated_at, active_at, revoked_at, expires_at)
         values ('staff', $1, $2, '', true, $3, $3, $3, $4, $5)`,
        [userId, serial, ago(90 * day), ended, expires],
      );
    await insertSignIn('live', null, ago(-day));
    await insertSignIn('ended', ago(29 * day), ago(-day));
    await insertSignIn('expired', null, ago(29 * day));
    await insertSignIn('long ended', ago(31 * day), ago(-day));
    await insertSignIn('long expired', null, ago(31 * day));
    await cleanUp(context, 1);
    expect(await names('select serial as name from sign_ins where user_id = $1 order by sign_in_id', [userId])).toEqual(
      ['live', 'ended', 'expired'],
    );
  });

  test('links and idempotency keys: are deleted 24 hours after they expired or were created', async () => {
    const { userId, companyId } = await buildUser(context);
    for (const [hash, expires] of [
      ['old', ago(25 * hour)],
      ['new', ago(23 * hour)],
    ]) {
      await query(
        `insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at) values ($1::bytea, 'reset', $2, $3, $4)`,
        [hash, userId, ago(26 * hour), expires],
      );
    }
    for (const [key, made] of [
      ['key-of-old', ago(24.1 * hour)],
      ['key-of-new', ago(23.9 * hour)],
    ]) {
      await query(
        `insert into idempotency_keys (company_id, actor, key, call, body_hash, created_at) values ($1, 'A_1', $2, 'x', '', $3)`,
        [companyId, key, made],
      );
    }
    await cleanUp(context);
    expect(
      await names(`select convert_from(token_hash, 'UTF8') as name from one_time_tokens where user_id = $1`, [userId]),
    ).toEqual(['new']);
    expect(await names('select key as name from idempotency_keys where company_id = $1', [companyId])).toEqual([
      'key-of-new',
    ]);
  });

  test('holds: are deleted a day after they ended', async () => {
    const { userId, companyId } = await buildUser(context);
    const [older, newer] = ['0', '1'].map((digit) => digit.repeat(32));
    for (const [uid, made] of [
      [older, ago(24.1 * hour)],
      [newer, ago(23.9 * hour)],
    ]) {
      await query(
        `insert into holds (hold_uid, company_id, doctor_id, starts_at, ends_at, created_at, expires_at, holder, address)
         values ($1, $2, $3, $4, $4::timestamptz + interval '30 minutes', $4, $4, '', '')`,
        [uid, companyId, userId, made],
      );
    }
    await cleanUp(context);
    expect(await names('select hold_uid as name from holds where company_id = $1', [companyId])).toEqual([newer]);
  });

  test('instances: are deleted after a month, unless an attendance refers to them', async () => {
    const { companyId, appointmentId, patientId } = await buildAppointment(context);
    const instanceIds = ['attended', 'ended', 'died', 'recent'].map((name) => `${name}-${randomUUID()}`);
    const [attended, ended, , recent] = instanceIds;
    for (const id of instanceIds) {
      const at = id === recent ? ago(29 * day) : ago(31 * day);
      await query('insert into instances (instance_id, started_at, heartbeat_at, ended_at) values ($1, $2, $2, $3)', [
        id,
        at,
        id === ended ? at : null,
      ]);
    }
    await query(
      `insert into peers (company_id, appointment_id, patient_id, peer_id, role_id, connection_id, instance_id, joined_at, left_at)
       values ($1, $2, $3, 'P_1_x', 'P', 'c', $4, $5, $5)`,
      [companyId, appointmentId, patientId, attended, ago(31 * day)],
    );
    await cleanUp(context);
    const left = await names('select instance_id as name from instances');
    expect(instanceIds.filter((name) => left.includes(name))).toEqual([attended, recent]);
    // The third is the running server's.
    expect(left.length).toBe(3);
  });

  test('demo’s emails: the latest thousand are kept', async () => {
    await query(
      `insert into outbox (occurred_at, method, recipient, body_text) select $1, 'text', 'r' || n, '' from generate_series(1, 1007) n`,
      [ago(0)],
    );
    await cleanUp(context, 3);
    const left = await names('select recipient as name from outbox order by outbox_id');
    expect([left.length, left[0]]).toEqual([1000, 'r8']);
  });

  test('runs at the start and each hour; the application’s role itself may not delete', async () => {
    const { companyId } = await buildCompany(context);
    const insertKey = () =>
      query(
        `insert into idempotency_keys (company_id, actor, key, call, body_hash, created_at) values ($1, 'A_1', 'key-12345', 'x', '', $2)`,
        [companyId, ago(0)],
      );
    await insertKey();
    clock.set(clock.now() + 25 * hour);
    const count = async () => (await query('select from idempotency_keys where company_id = $1', [companyId])).length;
    await expect.poll(count).toBe(0);
    for (const table of ['sign_ins', 'one_time_tokens', 'idempotency_keys', 'instances']) {
      const tried = context.db.open({ kind: 'unauthenticated' }, (tx) =>
        sql`delete from ${sql.table(table)}`.execute(tx),
      );
      await expect(tried).rejects.toThrow('permission denied');
    }
  });
});

test('failLostNotifications: a notification without a job fails after two hours, one with a pending job stays queued', async () => {
  const { companyId, appointmentId } = await buildAppointment(context);
  const insertNotification = async (due: string) => {
    const [row] = await query<{ id: string }>(
      `insert into notification_logs (company_id, appointment_id, kind, method, due_at, created_at)
       values ($1, $2, 'invitation', 'email', $3, $3) returning notification_id as id`,
      [companyId, appointmentId, due],
    );
    return Number(row?.id);
  };
  const lost = await insertNotification(ago(2.1 * hour));
  const fresh = await insertNotification(ago(1.9 * hour));
  const waiting = await insertNotification(ago(3 * hour));
  await context.db.open({ kind: 'job', companyId }, async (tx) => {
    await context.jobs.send(tx, notificationQueue, { companyId, notificationId: waiting });
    // Like after a failed attempt whose retry is in an hour.
    await sql`update pgboss.job set start_after = now() + interval '1 hour'
      where (data->'data'->>'notificationId')::bigint = ${waiting}`.execute(tx);
  });
  await failLostNotifications(context);
  const states = await query<{ id: number; state: string; error: string }>(
    'select notification_id::int as id, state, error from notification_logs where appointment_id = $1 order by 1',
    [appointmentId],
  );
  expect(states).toEqual([
    { id: lost, state: 'failed', error: 'The server stopped while sending.' },
    { id: fresh, state: 'queued', error: '' },
    { id: waiting, state: 'queued', error: '' },
  ]);
});
