import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CsvDefinition } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { check, upload } from '../../../test/csv-import.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { randomOf } from '../../../test/random-csv.ts';
import { startServer } from '../../../test/server-process.ts';
import { password, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

/** `IMPORT_KILLS=20 npx vitest run --project server server/src/features/csv-import/killed.test.ts` */
const kills = Number(process.env.IMPORT_KILLS ?? 2);
const leaseMs = 31_000;
const limitMs = 60_000 + kills * 15_000;

interface Clinic {
  readonly app: TestApp;
  readonly companyId: number;
}

interface KilledImport {
  readonly type: ImportType;
  readonly header: string;
  /** The row at a place, from 0. */
  readonly row: (at: number) => string;
  readonly rowsPerKill: number;
  /** Changes of what was guessed. */
  readonly change?: (definition: CsvDefinition) => CsvDefinition;
  /** The people that the rows need. */
  readonly build: (clinic: Clinic) => Promise<void>;
}

/** Imports a file while its server is killed again and again. Returns the counts of the check, and reads the database after it. */
async function importKilled({ type, header, row, rowsPerKill, change, build }: KilledImport) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-import-'));
  const database = await createTestDatabase();
  const env = { DATA_DIR: folder };
  const app = await startTestApp({ database, env });
  const { companyId } = await buildCompany(app.context, { timeZone: 'UTC' });
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  await build({ app, companyId });
  const admin = await app.signIn({ email, password });
  const count = (kills + 1) * rowsPerKill;
  const rows = Array.from({ length: count }, (_, at) => row(at));
  const { definition } = await upload(admin, `${header}\n${rows.join('\n')}\n`, { name: 'rows.csv', type });
  const checked = await check(app, admin, change?.(definition) ?? definition);
  expect([checked.state, checked.rows]).toEqual(['checked', count]);
  const owner = new pg.Client(database.owner);
  await owner.connect();
  await app.close();
  // As parseCsv does, when no worker runs.
  await owner.query(`update imports set state = 'importing', position = 0, amount_done = 0, attempts = 0, rows = 0, created = 0,
    updated = 0, unchanged = 0, wrong = 0, doubled = 0`);
  onTestFinished(async () => {
    await owner.end();
    await database.drop();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const one = async <Row>(text: string) => (await owner.query(text)).rows[0] as Row;
  const position = async () => (await one<{ position: number }>('select position::int from imports')).position;
  const state = async () => (await one<{ state: string }>('select state from imports')).state;

  const random = randomOf(3);
  let now = Date.now();
  for (let kill = 0; kill < kills && (await state()) === 'importing'; kill += 1) {
    const server = await startServer(database.application, env);
    now += leaseMs;
    await server.setClock(now);
    const from = await position();
    await expect.poll(position, { interval: 5 }).toBeGreaterThan(from + Math.floor(random() * rowsPerKill * 0.6));
    await server.stop();
  }
  const last = await startTestApp({ database, env });
  now += leaseMs;
  last.clock.set(now);
  await expect.poll(state).toBe('done');

  const { rows: total, created, updated, unchanged, wrong, doubled } = checked;
  expect(await one('select rows, created, updated, unchanged, wrong, doubled from imports')).toEqual({
    rows: total,
    created,
    updated,
    unchanged,
    wrong,
    doubled,
  });
  expect(await one('select count(*)::int as n from import_problems')).toEqual({ n: wrong + doubled });
  expect(await one(`select count(*)::int as n from audit_log where action = 'finishImport'`)).toEqual({ n: 1 });
  return { created, updated, doubled, one };
}

test(
  'a server that is killed during an import, again and again: the end is that of an import without it',
  async () => {
    const { created, updated, one } = await importKilled({
      type: 'Patient',
      header: 'id,First Name,Last Name,DOB,Email',
      row: (at) =>
        at % 10 === 9
          ? `K${at},Ann,Wrong,never,a${at}@x.test`
          : `K${at % 1000 === 500 ? at - 1 : at},Ann,Lee${at},1/5/1980,a${at}@x.test`,
      rowsPerKill: 1_500,
      change: (definition) => ({
        ...definition,
        fields: definition.fields.map((field) => (field.name === 'externalId' ? { ...field, columnIdx: 0 } : field)),
      }),
      build: async ({ app, companyId }) => {
        const known = { companyId, birthDate: '1980-01-05', email: 'old@x.test' };
        await buildPatient(app.context, { ...known, firstName: 'Ann', lastName: 'Known', externalId: 'K7' });
      },
    });
    expect(await one('select count(*)::int as n, count(distinct external_id)::int as ids from patients')).toEqual({
      n: created + 1,
      ids: created + 1,
    });
    // Each patient is in the audit log once.
    const audited = await one(`select count(*)::int as n, count(distinct id)::int as ids from audit_log,
    jsonb_array_elements(objects->'created' || (objects->'updated')) id where action = 'importPatients'`);
    expect(audited).toEqual({ n: created + updated, ids: created + updated });
    expect(await one('select version from patients where last_name = $$Lee7$$')).toEqual({ version: 1 });
  },
  limitMs,
);

test(
  'a server that is killed during an import of appointments: each is there once, and none overlaps another',
  async () => {
    const doctors = 3;
    const start = (at: number) => new Date(Date.UTC(2031, 0, 1) + Math.floor(at / doctors) * 1_800_000).toISOString();
    const { created, doubled, one } = await importKilled({
      type: 'Appointment',
      header: 'Appointment ID,Patient External ID,Provider,Start,Minutes',
      // Each tenth is the row before it with another number.
      row: (at) => {
        const of = at % 10 === 9 ? at - 1 : at;
        return `A${at},K7,d${of % doctors}@x.test,${start(of).slice(0, 16)},30`;
      },
      rowsPerKill: 900,
      build: async ({ app, companyId }) => {
        await buildPatient(app.context, { companyId, firstName: 'Ann', lastName: 'Known', externalId: 'K7' });
        for (let n = 0; n < doctors; n += 1)
          await buildUser(app.context, { companyId, role: 'D', email: `d${n}@x.test`, lastName: `Doctor${n}` });
      },
    });
    expect(doubled).toBe((created + doubled) / 10);
    expect(await one('select count(*)::int as n, count(distinct external_id)::int as ids from appointments')).toEqual({
      n: created,
      ids: created,
    });
    const overlaps = await one(`select count(*)::int as n from appointments a join appointments b
    on a.doctor_id = b.doctor_id and a.appointment_id < b.appointment_id and a.starts_at < b.ends_at and b.starts_at < a.ends_at`);
    expect(overlaps).toEqual({ n: 0 });
    const audited = await one(`select count(*)::int as n, count(distinct id)::int as ids from audit_log,
    jsonb_array_elements(objects->'appointments') id where action = 'importAppointments'`);
    expect(audited).toEqual({ n: created, ids: created });
  },
  limitMs,
);
