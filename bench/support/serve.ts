import 'temporal-polyfill/global';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { buildApp } from '../../server/src/app.ts';
import { findAppointments } from '../../server/src/features/appointments/find-appointments.ts';
import type { StaffCaller } from '../../server/src/platform/caller.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import type { Tx } from '../../server/src/platform/database/database.ts';
import type { DB } from '../../server/src/platform/database/schema.ts';
import { readSettings } from '../../server/src/platform/settings.ts';

/**
 * A server process of a benchmark, by its arguments: `ours` is the application as it runs, `reference` the same SQL by
 * prepared statements on bare node:http. Prints its port. Connections come by the environment as JSON.
 */
const [kind] = process.argv.slice(2);
const { application, owner, companyId, settings } = JSON.parse(process.env['BENCH'] ?? '{}') as {
  application: pg.PoolConfig;
  owner: pg.PoolConfig;
  companyId: number;
  settings: Record<string, string>;
};

if (kind === 'ours') {
  const app = await buildApp({
    settings: readSettings({ DRAIN_SECONDS: '0', ...settings }),
    publicUrl: 'http://localhost',
    demo: false,
    secret: 'bench-secret-bench-secret-bench-secret',
    database: application,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  process.stdout.write(`${await app.listen('127.0.0.1', 0)}\n`);
} else {
  const server = http.createServer((request, response) => {
    answer(request).then(
      (json) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

/** Compiles our own queries without a database. */
function compiler(): Tx {
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  return new Kysely<DB>({ dialect }) as unknown as Tx;
}

function answer(request: http.IncomingMessage): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://x');
  if (url.pathname === '/list') return list();
  if (url.pathname === '/count') return count();
  return save(request);
}

const pool = new pg.Pool({ ...owner, max: 20 });
const listQuery = findAppointments(compiler(), { companyId, timeZone: 'UTC' } as StaffCaller, {})
  .orderBy('a.starts_at')
  .orderBy('a.appointment_id')
  .limit(50)
  .compile();

async function list(): Promise<unknown> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query({ name: 'list', text: listQuery.sql, values: [...listQuery.parameters] });
    await audit(client);
    return { data: rows, total: null };
  } finally {
    client.release();
  }
}

function audit(client: pg.PoolClient) {
  const text = `insert into audit_log (company_id, at, actor, action, path, objects, address, request_id) values ($1, $2, 'A_1', 'list', '/list', '{}', '', 'r')`;
  return client.query({ name: 'audit', text, values: [companyId, new Date().toISOString()] });
}

async function count(): Promise<unknown> {
  const text = `select count(*) from visits where company_id = $1 and patient_present_at is not null and provider_present_at is null`;
  const { rows } = await pool.query<{ count: string }>({ name: 'count', text, values: [companyId] });
  return Number(rows[0]?.count);
}

async function save(request: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { appointmentId, startDate, endDate } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  const text =
    'update appointments set starts_at = $2, ends_at = $3, version = version + 1 where appointment_id = $1 returning version';
  const { rows } = await pool.query<object>({ name: 'save', text, values: [appointmentId, startDate, endDate] });
  return rows[0];
}
