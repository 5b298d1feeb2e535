import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildAppointment,
  buildCompany,
  buildPatient,
  buildRule,
  buildTimeOff,
  buildUser,
} from '../src/demo/builders.ts';
import { queueNotification } from '../src/features/notifications/queue-notification.ts';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import { buildCharge } from './build-charge.ts';
import { buildFile, buildPhoto } from './build-file.ts';
import { buildGuest } from './build-guest.ts';
import { buildImport } from './build-import.ts';
import { buildLicense } from './build-license.ts';
import { buildPromo } from './build-promo.ts';
import { buildRecording } from './build-recording.ts';
import { buildVisitQuality } from './build-visit-quality.ts';
import { startTestApp } from './test-app.ts';

/** Tests row-level security without the application's conditions. */
const app = await startTestApp();
const { context } = app;

interface World {
  companyId: number;
  patientId: number;
  otherPatientId: number;
}

let own: World;
let other: World;
let owner: pg.Client;
let tables: string[];

async function buildWorld(): Promise<World> {
  const { companyId } = await buildCompany(context);
  const { userId: doctorId } = await buildUser(context, { companyId });
  const { patientId } = await buildPatient(context, { companyId, phones: ['2125551234'] });
  const { patientId: otherPatientId } = await buildPatient(context, { companyId, phones: ['2125551235'] });
  const now = isoNow(context.clock);
  for (const [index, id] of [patientId, otherPatientId].entries()) {
    const startDate = new Date(Date.parse(now) + index * 3_600_000).toISOString();
    const appointment = await buildAppointment(context, {
      companyId,
      doctorId,
      patientId: id,
      startDate,
      fee: '10',
      collected: '5',
      visit: { arrivedAt: now, duration: 60 },
    });
    await buildVisitQuality(context, { companyId, appointmentId: appointment.appointmentId, patientId: id });
    await buildRecording(context, appointment);
    await buildGuest(context, appointment);
    await context.db.open({ kind: 'job', companyId }, async (tx) => {
      const base = { company_id: companyId, appointment_id: appointment.appointmentId, patient_id: id };
      await tx
        .insertInto('chat_messages')
        .values({ ...base, author: `P_${id}`, key: 'a-key-of-mine', payload: Buffer.from('hello'), occurred_at: now })
        .execute();
      const check = { camera: 'works', microphone: 'works', speaker: 'unknown', connection: 'good' };
      await tx
        .insertInto('device_checks')
        .values({ ...base, ...check, checked_at: now })
        .execute();
      const instance = { instance_id: 'test', started_at: now, heartbeat_at: now };
      await tx
        .insertInto('instances')
        .values(instance)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const peer = {
        ...base,
        peer_id: `P_${id}_x`,
        role_id: 'P',
        connection_id: 'c',
        instance_id: 'test',
        joined_at: now,
        left_at: now,
      };
      await tx.insertInto('peers').values(peer).execute();
      await buildCharge(tx, { companyId, appointmentId: appointment.appointmentId, patientId: id, now });
      await queueNotification(tx, context, {
        companyId,
        appointmentId: appointment.appointmentId,
        patientId: id,
        kind: 'invitation',
        byUserId: null,
        now,
      });
      await tx
        .insertInto('idempotency_keys')
        .values({
          company_id: companyId,
          actor: 'A_1',
          key: `key-${id}`,
          call: 'x',
          body_hash: Buffer.from('x'),
          created_at: now,
        })
        .execute();
      const request = { company_id: companyId, patient_id: id, wish: 'Any evening.', created_at: now };
      await tx.insertInto('booking_requests').values(request).execute();
      const hold = { company_id: companyId, doctor_id: doctorId, created_at: now, expires_at: now };
      await tx
        .insertInto('holds')
        .values({
          ...hold,
          hold_uid: newUid(),
          starts_at: startDate,
          ends_at: addMinutes(startDate, 15),
          holder: Buffer.from('x'),
          address: Buffer.from('x'),
        })
        .execute();
    });
  }
  await buildRule(context, { companyId, doctorIds: [doctorId] });
  const [first] = await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx.selectFrom('appointments').select('appointment_id').where('patient_id', '=', patientId).execute(),
  );
  await buildFile(context, { companyId, patientId, appointmentId: first?.appointment_id ?? 0 });
  await buildPhoto(context, { companyId, patientId, appointmentId: first?.appointment_id ?? 0 });
  await buildImport(context, { companyId, patientId });
  await buildPromo(context, { companyId, code: 'SPRING' });
  await buildLicense(context, companyId);
  await owner.query('insert into trials (company_id) values ($1)', [companyId]);
  await buildTimeOff(context, { companyId, firstDay: '2020-01-01', lastDay: '2020-01-01' });
  await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const made = { company_id: companyId, by_user_id: doctorId, requested_at: now, state: 'expired' };
    const { export_id } = await tx
      .insertInto('data_exports')
      .values(made)
      .returning('export_id')
      .executeTakeFirstOrThrow();
    const part = { company_id: companyId, export_id, part_no: 0, blob_uid: newUid(), size: 1 };
    await tx.insertInto('data_export_parts').values(part).execute();
    const watched = { company_id: companyId, user_id: doctorId, doctor_id: doctorId };
    await tx.insertInto('user_notify_for').values(watched).execute();
    const of = { company_id: companyId, user_id: doctorId };
    await tx
      .insertInto('calendar_feeds')
      .values({ ...of, secret_hash: Buffer.from(newUid()), shows_initials: false, created_at: now })
      .execute();
    await tx
      .insertInto('external_calendars')
      .values({ ...of, address: Buffer.from('x'), expanded_at: now, read_at: now, next_read_at: now })
      .execute();
    await tx
      .insertInto('busy_times')
      .values({ ...of, starts_at: '2026-01-01T10:00:00Z', ends_at: '2026-01-01T11:00:00Z' })
      .execute();
    // A notification to a user about the patient's appointment.
    const [appointment] = await tx
      .selectFrom('appointments')
      .select('appointment_id')
      .where('patient_id', '=', patientId)
      .execute();
    await tx
      .insertInto('notification_logs')
      .values({
        company_id: companyId,
        appointment_id: appointment?.appointment_id ?? 0,
        to_user_id: doctorId,
        kind: 'arrival',
        method: 'email',
        due_at: now,
        created_at: now,
      })
      .execute();
  });
  return { companyId, patientId, otherPatientId };
}

beforeAll(async () => {
  owner = new pg.Client(app.database.owner);
  await owner.connect();
  own = await buildWorld();
  other = await buildWorld();
  const { rows } = await owner.query<{ table_name: string }>(
    `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'company_id' and t.table_type = 'BASE TABLE' order by 1`,
  );
  const { rows: partitions } = await owner.query<{ relname: string }>(
    'select relname from pg_class where relispartition',
  );
  const parts = new Set(partitions.map(({ relname }) => relname));
  tables = rows.map((row) => row.table_name).filter((name) => !parts.has(name));
});
afterAll(() => owner.end());

type Kind = Parameters<typeof context.db.open>[0];

async function count(kind: Kind, table: string, condition = 'true'): Promise<number> {
  return context.db.open(kind, async (tx) => {
    const { rows } = await sql<{
      n: number;
    }>`select count(*)::int as n from ${sql.table(table)} where ${sql.raw(condition)}`.execute(tx);
    return rows[0]?.n ?? -1;
  });
}

/** Tables whose rows belong to a patient. */
const patientTables = [
  'patients',
  'patient_phones',
  'appointments',
  'visits',
  'ledger',
  'charges',
  'peers',
  'chat_messages',
  'notification_logs',
  'booking_requests',
  'recording_runs',
  'recording_consents',
];

/** Tables of the license that a company buys, which a Super sees. Of the charges a Super sees those of licenses only. */
const licenseTables = ['payment_cards', 'license_purchases', 'license_renewals'];

/** Tables that the application may not read, or only in an unauthenticated transaction. */
const unreadable = new Set(['audit_log']);
const unauthenticatedOnly = new Set(['sign_ins']);

describe('row-level security of tables with a company', () => {
  test('is forced, also for the owner', async () => {
    const { rows } = await owner.query<{ relname: string }>(
      `select relname from pg_class where (relname = any($1) or relname ~ '^audit_log_(\\d{4}_\\d{2}|default)$')
         and not (relrowsecurity and relforcerowsecurity)`,
      [tables],
    );
    expect(rows).toEqual([]);
    expect(tables.length).toBeGreaterThan(8);
  });

  test('every table with a company: is planned for large companies, whatever the number of companies', async () => {
    const { rows } = await owner.query<{ table: string }>(
      `select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
         and not coalesce(a.attoptions @> '{n_distinct=100}', false)`,
    );
    expect(rows).toEqual([]);
  });

  test('company transaction: shows the own company only', async () => {
    for (const table of tables.filter((name) => !unreadable.has(name) && !unauthenticatedOnly.has(name))) {
      const kind = { kind: 'company', companyId: own.companyId } as const;
      expect([table, await count(kind, table, `company_id = ${other.companyId}`)]).toEqual([table, 0]);
      expect([table, (await count(kind, table)) > 0]).toEqual([table, true]);
    }
  });

  test('patient transaction: shows the patient’s own rows only', async () => {
    const kind = { kind: 'patient', companyId: own.companyId, patientId: own.patientId } as const;
    for (const table of tables.filter((name) => !unreadable.has(name))) {
      expect([table, await count(kind, table, `company_id = ${other.companyId}`)]).toEqual([table, 0]);
    }
    for (const table of patientTables) {
      expect([table, await count(kind, table, `patient_id <> ${own.patientId}`)]).toEqual([table, 0]);
      expect([table, (await count(kind, table)) > 0]).toEqual([table, true]);
    }
    // Patients see notifications to themselves, not those to users.
    expect(await count(kind, 'notification_logs', 'to_user_id is not null')).toBe(0);
    for (const table of [
      'user_notify_for',
      'promo_codes',
      ...licenseTables,
      'idempotency_keys',
      'files',
      'recordings',
      'recording_blobs',
      'photos',
      'calendar_feeds',
      'external_calendars',
      'busy_times',
      'trials',
    ])
      expect([table, await count(kind, table)]).toEqual([table, 0]);
  });

  test('booking transaction: shows no patient data', async () => {
    const kind = { kind: 'booking', companyId: own.companyId } as const;
    for (const table of tables.filter((name) => !unreadable.has(name))) {
      expect([table, await count(kind, table, `company_id = ${other.companyId}`)]).toEqual([table, 0]);
    }
    for (const table of [
      ...patientTables,
      ...licenseTables,
      'user_notify_for',
      'idempotency_keys',
      'files',
      'recordings',
      'recording_blobs',
      'photos',
      'trials',
    ])
      expect([table, await count(kind, table)]).toEqual([table, 0]);
  });

  test('unauthenticated transaction, Super’s transaction (except companies, users, their notifications, licenses and trials), transaction without a kind: show nothing', async () => {
    for (const table of tables.filter((name) => !unreadable.has(name) && !unauthenticatedOnly.has(name))) {
      expect([table, await count({ kind: 'unauthenticated' }, table)]).toEqual([table, 0]);
      if (!['companies', 'users', 'user_notify_for', 'trials', ...licenseTables].includes(table)) {
        const shown = table === 'charges' ? "purpose <> 'license'" : 'true';
        expect([table, await count({ kind: 'super' }, table, shown)]).toEqual([table, 0]);
      }
      const bare = await context.db.begin(async (tx) => {
        const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(tx);
        return rows[0]?.n;
      });
      expect([table, bare]).toEqual([table, 0]);
    }
  });

  test('writes for another company, or with another company’s parent: are refused', async () => {
    const now = isoNow(context.clock);
    const foreign = context.db.open({ kind: 'company', companyId: own.companyId }, (tx) =>
      tx
        .insertInto('patients')
        .values({ company_id: other.companyId, first_name: 'X', last_name: 'Y', created_at: now })
        .execute(),
    );
    await expect(foreign).rejects.toThrow(/row-level security/);
    const crossed = context.db.open({ kind: 'company', companyId: own.companyId }, (tx) =>
      tx
        .insertInto('patient_phones')
        .values({ company_id: own.companyId, patient_id: other.patientId, position: 0, phone: '+12125551234' })
        .execute(),
    );
    await expect(crossed).rejects.toThrow(/foreign key/);
  });

  test('find_patients, which bypasses the policies: returns the own company’s patients only', async () => {
    const found = (kind: Kind) =>
      context.db.open(kind, async (tx) => {
        const { rows } = await sql<{ id: number }>`select find_patients('%pat%', 100) as id`.execute(tx);
        return rows.map((row) => row.id).toSorted((a, b) => a - b);
      });
    expect(await found({ kind: 'company', companyId: own.companyId })).toEqual(
      [own.patientId, own.otherPatientId].toSorted((a, b) => a - b),
    );
    expect(await found({ kind: 'patient', companyId: own.companyId, patientId: own.patientId })).toEqual([]);
    expect(await found({ kind: 'unauthenticated' })).toEqual([]);
  });
});

describe('audit log', () => {
  test('is append-only, for the application and for its owner', async () => {
    const plain = new pg.Client(app.database.application);
    await plain.connect();
    for (const statement of [
      'select * from audit_log',
      'update audit_log set actor = $$x$$',
      'delete from audit_log',
      'select * from audit_seals',
      'select * from audit_sealed',
      'select * from audit_log_default',
      'insert into audit_sealed_default values (1, now(), 1)',
    ]) {
      await expect(plain.query(statement)).rejects.toThrow(/permission denied/);
    }
    await plain.end();
    for (const statement of [
      'update audit_log set actor = $$x$$',
      'delete from audit_log',
      'truncate audit_seals, audit_log',
      'delete from audit_seals',
      'update audit_sealed set seal_no = 1',
      'delete from audit_log_default',
      'truncate audit_log_default',
      'update audit_sealed_default set seal_no = 1',
    ]) {
      await expect(owner.query(statement)).rejects.toThrow(/only grows/);
    }
  });
});
