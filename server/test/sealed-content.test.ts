import { createHash } from 'node:crypto';
import {
  type AppointmentBody,
  getAppointment,
  saveAppointment,
  updateNotes,
} from '@roomside/contract/appointments/calls.ts';
import { listMessages } from '@roomside/contract/room/calls.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildAppointment } from '../src/demo/builders.ts';
import { reseal, sealedColumns, supersedeKey } from '../src/features/upkeep/reseal.ts';
import type { Database } from '../src/platform/database/database.ts';
import { openKeys } from '../src/platform/keys.ts';
import { openTextOrSay, sealedPlaces, unreadableText } from '../src/platform/sealed-text.ts';
import { type BuiltRoom, buildRoom } from './build-room.ts';
import { connectHub } from './hub-client.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { testSecret } from './test-secret.ts';

const [note, reason, chatText] = [
  'Sleeps badly since March.',
  'Car broke down near Albany.',
  'It hurts on the left side.',
];

let app: TestApp;
let owner: pg.Client;
let room: BuiltRoom;
let params: { appointmentId: number };
let companyId: number;
let body: AppointmentBody;

const query = async <Row>(text: string, values: unknown[] = []) => (await owner.query(text, values)).rows as Row[];

beforeAll(async () => {
  app = await startTestApp();
  owner = new pg.Client(app.database.owner);
  await owner.connect();
  room = await buildRoom(app);
  ({ companyId } = room.appointment);
  params = { appointmentId: room.appointment.appointmentId };
  await room.doctor.call(updateNotes, { params, body: { notes: note, notesVersion: 0 } });
  const { version, startDate, doctorId, patientId } = (await room.doctor.call(getAppointment, { params })).json;
  const kept = { ...params, version, startDate, doctorId, patientId, cancelled: false };
  body = { ...kept, cancellationNotes: reason, externalId: '', welcomeMessage: '' };
  const saved = await room.doctor.call(saveAppointment, {
    body,
    headers: { 'idempotency-key': 'a-key-for-once' },
  });
  if (saved.status !== 200) throw new Error(`The appointment was not saved: ${saved.text}`);
});
afterAll(() => owner.end());

const texts = async () => {
  const { notes, cancellationNotes } = (await room.doctor.call(getAppointment, { params })).json;
  const { data } = (await room.patient.call(listMessages, { params: { uid: room.uid } })).json;
  return [notes, cancellationNotes, ...data.map((message) => message.payload)];
};

describe('notes, cancellation notes and chat', () => {
  test('can be read, and are not in the database as plain text', async () => {
    const hub = await connectHub(app, room.patient);
    await hub.subscribe(room.uid);
    await hub.sendText({ session: room.uid, payload: chatText, key: 'key-of-mine-1' });
    expect(await texts()).toEqual([note, reason, chatText]);
    const tables = await query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
    );
    expect(tables.length).toBeGreaterThan(25);
    for (const { name } of tables) {
      const rows = await query<{ text: string }>(`select t::text as text from ${name} t`);
      for (const text of [note, reason, chatText]) {
        const hex = Buffer.from(text).toString('hex');
        const showing = rows.filter((row) => row.text.includes(text) || row.text.includes(hex));
        expect([name, showing]).toEqual([name, []]);
      }
    }
  });

  test('have no unkeyed hash by which a guessed text could be verified', async () => {
    const [row] = await query<{ body_hash: Buffer }>(
      `select body_hash from idempotency_keys where key = 'a-key-for-once'`,
    );
    const keyed = app.context.keys.mac('body', JSON.stringify([null, body]));
    expect(row?.body_hash).toEqual(keyed);
    expect(
      createHash('sha256')
        .update(JSON.stringify([null, body]))
        .digest(),
    ).not.toEqual(keyed);
  });

  test('texts moved to another row or column, or changed: are shown as unreadable, and other texts stay readable', async () => {
    await owner.query('begin');
    const other = await buildAppointment(app.context, { companyId, notes: 'Of another appointment.' });
    await owner.query('commit');
    await query('create table kept as select appointment_id, notes, cancellation_notes from appointments');
    await query(
      `update appointments set notes = (select notes from kept where appointment_id = $2), cancellation_notes = notes where appointment_id = $1`,
      [params.appointmentId, other.appointmentId],
    );
    await query('create table kept_chat as select message_id, payload from chat_messages');
    await query(
      'update chat_messages set payload = set_byte(payload, 45, get_byte(payload, 45) # 1) where company_id = $1',
      [companyId],
    );
    const shown = await room.doctor.call(getAppointment, { params });
    expect(shown.status).toBe(200);
    expect(shown.json.accessCode).toBe(room.appointment.accessCode);
    expect(await texts()).toEqual([unreadableText, unreadableText, unreadableText]);
    expect(app.logged.filter((line) => line.includes('a sealed text cannot be read')).length).toBeGreaterThan(2);
    expect(app.logged.join('\n')).not.toContain(note);
    await query(
      `update appointments a set notes = k.notes, cancellation_notes = k.cancellation_notes from kept k where k.appointment_id = a.appointment_id`,
    );
    await query('update chat_messages m set payload = k.payload from kept_chat k where k.message_id = m.message_id');
    await query('drop table kept, kept_chat');
    expect(await texts()).toEqual([note, reason, chatText]);
  });

  test('their place cannot be changed by a transaction of a patient or company', async () => {
    const { patientId } = room.appointment;
    for (const kind of [
      { kind: 'patient', companyId, patientId },
      { kind: 'company', companyId },
    ] as const) {
      const changed = await app.context.db.open(kind, (tx) =>
        tx
          .updateTable('chat_messages')
          .set({ payload: Buffer.from('x') })
          .executeTakeFirst(),
      );
      expect([kind.kind, changed.numUpdatedRows]).toEqual([kind.kind, 0n]);
    }
  });

  test('are sealed again by a new key, wherever the change was interrupted', async () => {
    const { db } = app.context;
    await supersedeKey(app.context, companyId);
    /** A database that fails after `steps` transactions. */
    const failAfter = (steps: number): Database => ({
      ...db,
      open: async (kind, work) => {
        if (steps === 0) throw new Error('stopped');
        steps -= 1;
        return db.open(kind, work);
      },
    });
    for (let steps = 0; ; steps += 1) {
      const result = await reseal({ ...app.context, db: failAfter(steps) }, companyId).catch(
        (error: Error) => error.message,
      );
      expect(await texts()).toEqual([note, reason, chatText]);
      if (result !== 'stopped') break;
      expect(steps).toBeLessThan(20);
    }
    const [key] = await query<{ id: string }>(
      'select key_id as id from data_keys where company_id = $1 and superseded_at is null',
      [companyId],
    );
    const header = `'\\x01' || int8send(${key?.id})`;
    const of = (table: string, column: string) =>
      `select count(*) filter (where substring(${column} from 1 for 9) = ${header})::int as new, count(*)::int as all
       from ${table} where company_id = ${companyId} and octet_length(${column}) > 0`;
    for (const [table, column] of [
      ['appointments', 'notes'],
      ['appointments', 'cancellation_notes'],
      ['appointments', 'code_cipher'],
      ['chat_messages', 'payload'],
    ] as const) {
      const [count] = await query<{ new: number; all: number }>(of(table, column));
      expect([column, count?.new]).toEqual([column, count?.all]);
      expect(count?.all).toBeGreaterThan(0);
    }
  });

  test('cannot be read after the operator has deleted the company’s keys; other companies’ texts can', async () => {
    const otherRoom = await buildRoom(app);
    await otherRoom.doctor.call(updateNotes, {
      params: { appointmentId: otherRoom.appointment.appointmentId },
      body: { notes: note, notesVersion: 0 },
    });
    const gone = otherRoom.appointment.companyId;
    await owner.query(`begin; set local role app_user; set local app.kind = 'job'; set local app.company = '${gone}';
      delete from data_keys where company_id in (${gone}, ${companyId}); commit;`);
    // A second instance has no cached key.
    const keys = await openKeys(app.context.db, testSecret);
    const notesOf = async (appointment: BuiltRoom['appointment']) => {
      const [row] = await query<{ notes: Buffer }>('select notes from appointments where appointment_id = $1', [
        appointment.appointmentId,
      ]);
      return app.context.db.open({ kind: 'job', companyId: appointment.companyId }, (tx) =>
        openTextOrSay(
          tx,
          { keys, log: app.context.log },
          appointment.companyId,
          row?.notes ?? Buffer.alloc(1),
          sealedPlaces.notes(appointment.appointmentUid),
        ),
      );
    };
    expect([await notesOf(otherRoom.appointment), await notesOf(room.appointment)]).toEqual([unreadableText, note]);
  });

  test('every bytea column: is resealed, or is a hash or a sealed key', async () => {
    const columns = await query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea' order by 1`,
    );
    const notResealed = new Set([
      ...['appointments.code_hash', 'appointments.pre_merge_code', 'audit_seals.hash', 'idempotency_keys.body_hash'],
      ...[
        'holds.address',
        'holds.holder',
        'holds.site',
        'one_time_tokens.token_hash',
        'sign_in_failures.subject',
        'sign_ins.seed',
      ],
      ...['data_keys.sealed', 'files.content_hash', 'installation_keys.sealed', 'photos.content_hash'],
      ...['recording_blobs.content_hash', 'visit_guests.link_hash', 'passkeys.public_key', 'recovery_codes.code_hash'],
      ...['sign_in_tickets.ticket_hash', 'trusted_devices.device_hash', 'sign_ups.email_hash', 'sign_ups.token_hash'],
      ...['external_sign_ins.browser_hash', 'external_sign_ins.state_hash'],
      ...['calendar_feeds.secret_hash', 'external_calendars.content_hash'],
      // A picture for everyone.
      'brand_logos.content',
      // Sealed by a key of the installation, which is never superseded.
      ...['authenticators.pending', 'authenticators.secret', 'sign_ups.sealed', 'brand_providers.client_secret'],
      'external_sign_ins.sealed',
      // Not resealed: a hold ends after minutes, and a superseded key is kept for an hour.
      'holds.confirmation',
    ]);
    // Add a new column to sealedColumns in reseal.ts if it has sealed values, otherwise to this list.
    expect(columns.map(({ name }) => name).filter((name) => !notResealed.has(name))).toEqual(
      sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted((one, other) => (one < other ? -1 : 1)),
    );
  });
});
