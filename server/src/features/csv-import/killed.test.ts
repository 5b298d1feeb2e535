import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { check, upload } from '../../../test/csv-import.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { randomOf } from '../../../test/random-csv.ts';
import { startServer } from '../../../test/server-process.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

/** `IMPORT_KILLS=20 npx vitest run --project server server/src/features/csv-import/killed.test.ts` */
const kills = Number(process.env.IMPORT_KILLS ?? 2);
const rowsPerKill = 1_500;
const leaseMs = 31_000;

test(
  'a server that is killed during an import, again and again: the end is that of an import without it',
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-import-'));
    const database = await createTestDatabase();
    const env = { DATA_DIR: folder };
    const app = await startTestApp({ database, env });
    const { companyId } = await buildCompany(app.context);
    const { email } = await buildUser(app.context, { companyId, role: 'A', password });
    const known = { companyId, birthDate: '1980-01-05', email: 'old@x.test' };
    await buildPatient(app.context, { ...known, firstName: 'Ann', lastName: 'Known', externalId: 'K7' });
    const admin = await app.signIn({ email, password });
    const count = (kills + 1) * rowsPerKill;
    const rows = Array.from({ length: count }, (_, at) =>
      at % 10 === 9
        ? `K${at},Ann,Wrong,never,a${at}@x.test`
        : `K${at % 1000 === 500 ? at - 1 : at},Ann,Lee${at},1/5/1980,a${at}@x.test`,
    );
    const { definition } = await upload(admin, `id,First Name,Last Name,DOB,Email\n${rows.join('\n')}\n`);
    const body = {
      ...definition,
      fields: definition.fields.map((one) => (one.name === 'externalId' ? { ...one, columnIdx: 0 } : one)),
    };
    const checked = await check(app, admin, body);
    expect(checked.state).toBe('checked');
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
      await expect
        .poll(position, { timeout: 20_000, interval: 5 })
        .toBeGreaterThan(from + Math.floor(random() * rowsPerKill * 0.6));
      await server.stop();
    }
    const last = await startTestApp({ database, env });
    now += leaseMs;
    last.clock.set(now);
    await expect.poll(state, { timeout: 20_000 }).toBe('done');

    const { rows: counts } = await owner.query('select rows, created, updated, unchanged, wrong, doubled from imports');
    const { rows: total, created, updated, unchanged, wrong, doubled } = checked;
    expect(counts).toEqual([{ rows: total, created, updated, unchanged, wrong, doubled }]);
    expect(total).toBe(count);
    expect(await one('select count(*)::int as n, count(distinct external_id)::int as ids from patients')).toEqual({
      n: created + 1,
      ids: created + 1,
    });
    expect(await one(`select count(*)::int as n from import_problems where code <> 'double'`)).toEqual({ n: wrong });
    // Each patient is in the audit log once.
    const audited = await one(`select count(*)::int as n, count(distinct id)::int as ids from audit_log,
      jsonb_array_elements(objects->'created' || (objects->'updated')) id where action = 'importPatients'`);
    expect(audited).toEqual({ n: created + updated, ids: created + updated });
    expect(await one(`select count(*)::int as n from audit_log where action = 'finishImport'`)).toEqual({ n: 1 });
    expect(await one('select version from patients where last_name = $$Lee7$$')).toEqual({ version: 1 });
  },
  60_000 + kills * 15_000,
);
