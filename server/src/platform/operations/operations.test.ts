import { once } from 'node:events';
import net from 'node:net';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { startServer } from '../../../test/server-process.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';
import { serveMetrics } from './metrics-server.ts';

const app = await startTestApp({ env: { METRICS_PORT: '0' } });

const ready = { database: true, migrations: true, backplane: true, jobs: true, serving: true };

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as { ok: boolean; checks: typeof ready } };
}

/** A proxy in front of the cluster's socket, which can be frozen: it accepts, and passes nothing on. */
async function startProxy(database: pg.ClientConfig) {
  const sockets = new Set<net.Socket>();
  let isFrozen = false;
  const server = net.createServer((from) => {
    sockets.add(from);
    from.on('error', () => {});
    if (isFrozen) return;
    const to = net.connect({ path: `${database.host}/.s.PGSQL.${database.port}` });
    sockets.add(to);
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
    from.on('close', () => to.destroy());
    from.on('data', (bytes) => !isFrozen && to.write(bytes));
    to.on('data', (bytes) => !isFrozen && from.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  return {
    connection: { ...database, host: '127.0.0.1', port },
    freeze: () => {
      isFrozen = true;
    },
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('GET /live and /ready', () => {
  test('server that works: return 200 with names and booleans only', async () => {
    expect(await get(`${app.url}/live`)).toEqual({ status: 200, body: { ok: true } });
    // The first connection may take long on a busy machine.
    await expect.poll(() => get(`${app.url}/ready`)).toEqual({ status: 200, body: { ok: true, checks: ready } });
  });

  test.each(['stops', 'freezes'] as const)(
    'database that %s: /ready returns 503 within 1.5 s, /live 200',
    async (what) => {
      const database = await createTestDatabase();
      onTestFinished(() => database.drop());
      const proxy = await startProxy(database.application);
      const server = await startServer(proxy.connection);
      onTestFinished(async () => {
        proxy.stop();
        await server.stop();
      });
      await expect.poll(async () => (await get(`${server.url}/ready`)).status).toBe(200);
      if (what === 'stops') proxy.stop();
      else proxy.freeze();
      const timed = async () => {
        const from = performance.now();
        const { status, body } = await get(`${server.url}/ready`);
        return { status, body, isQuick: performance.now() - from < 1_500 };
      };
      const checks = { database: false, migrations: false, backplane: true };
      await expect.poll(timed).toMatchObject({ status: 503, body: { ok: false, checks }, isQuick: true });
      expect((await get(`${server.url}/live`)).status).toBe(200);
    },
  );

  test('schema without a migration of this version: /ready returns 503 and names it', async () => {
    const other = await startTestApp();
    await expect.poll(async () => (await get(`${other.url}/ready`)).status).toBe(200);
    const client = new pg.Client(other.database.owner);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`update schema_migrations set checksum = 'another'`);
    await expect
      .poll(() => get(`${other.url}/ready`))
      .toEqual({ status: 503, body: { ok: false, checks: { ...ready, migrations: false } } });
  });

  test('backplane that is down: /ready returns 503 and names it', async () => {
    // No server listens on this port.
    const isolated = await startServer(app.database.application, { REDIS_URL: 'redis://127.0.0.1:1' });
    onTestFinished(() => isolated.stop());
    await expect
      .poll(() => get(`${isolated.url}/ready`))
      .toEqual({ status: 503, body: { ok: false, checks: { ...ready, backplane: false } } });
  });
});

describe('GET /metrics', () => {
  const scrape = async (port: number | null, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  /** Returns the values by name and labels. */
  const values = (text: string) =>
    Object.fromEntries(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );

  test('requests are counted by route template and status, never with ids', async () => {
    const { appointmentUid } = await buildAppointment(app.context);
    const { status } = await fetch(`${app.url}/api/teleappointments/${appointmentUid}`);
    const { status: scraped, type, text } = await scrape(app.metricsPort());
    expect([scraped, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).not.toContain(appointmentUid);
    const counted = Object.entries(values(text)).filter(([name]) => name.includes('_request_duration_seconds_count'));
    expect(counted.map(([name]) => name)).toContainEqual(expect.stringContaining(`status="${status}"`));
    for (const [name] of counted) expect(name).not.toMatch(/route="[^"]*\/[0-9a-f]*\d/);
  });

  test('pool, queues, hub and undelivered notifications have their current values', async () => {
    const { appointmentId, companyId, patientId } = await buildAppointment(app.context);
    const client = new pg.Client(app.database.owner);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      `insert into notification_logs (company_id, appointment_id, patient_id, kind, method, due_at, created_at)
       values ($1, $2, $3, 'reminder', 'email', now() - interval '90 s', now())`,
      [companyId, appointmentId, patientId],
    );
    const current = async () => values((await scrape(app.metricsPort())).text);
    await expect.poll(current).toMatchObject({
      roomside_database_up: 1,
      roomside_database_waiting: 0,
      'roomside_database_connections{state="used"}': expect.any(Number),
      'roomside_jobs{queue="notification",state="queued"}': 0,
      'roomside_jobs{queue="notification",state="failed"}': 0,
      roomside_notifications_undelivered: 1,
      roomside_backplane_up: 1,
      'roomside_hub_connections{hub="/messaging",transport="WebSockets"}': 0,
      'roomside_hub_invocations_total{hub="/messaging"}': 0,
      process_resident_memory_bytes: expect.any(Number),
    });
    expect((await current())['roomside_notifications_oldest_seconds']).toBeGreaterThanOrEqual(90);
    const { companyId: other } = await buildCompany(app.context);
    const person = await buildUser(app.context, { companyId: other, role: 'A', password });
    await connectHub(app, await app.signIn({ email: person.email, password }));
    await expect.poll(current).toMatchObject({
      'roomside_hub_connections{hub="/messaging",transport="WebSockets"}': 1,
      'roomside_hub_users{hub="/messaging"}': 1,
    });
  });

  test('metrics: are not served without METRICS_PORT, nor on the public port', async () => {
    expect((await fetch(`${app.url}/metrics`)).status).toBe(404);
    expect((await startTestApp()).metricsPort()).toBeNull();
  });

  test('METRICS_TOKEN: is required as a bearer token', async () => {
    const token = 'a-token-of-the-operator';
    const other = await startTestApp({ env: { METRICS_PORT: '0', METRICS_TOKEN: token } });
    const port = other.metricsPort();
    expect((await scrape(port)).status).toBe(401);
    expect((await scrape(port, { authorization: `Bearer ${token}x` })).status).toBe(401);
    expect((await scrape(port, { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test('port that is taken: throws one sentence', async () => {
    const port = app.metricsPort() ?? 0;
    const metrics = { contentType: 'text/plain', text: async () => '' };
    await expect(serveMetrics(metrics, { host: '127.0.0.1', port, token: null })).rejects.toThrow(
      `METRICS_PORT ${port} cannot be used on 127.0.0.1 (EADDRINUSE).`,
    );
  });
});
