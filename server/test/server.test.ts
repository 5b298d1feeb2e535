import { allCalls } from '@roomside/contract/calls.ts';
import { expect, onTestFinished, test } from 'vitest';
import { served } from '../src/features/calls.ts';
import { onBehalfOf } from '../src/platform/database/scope.ts';
import { startServer } from './server-process.ts';
import { startTestApp } from './test-app.ts';

const app = await startTestApp();

test('calls: the server has each call of the contract once', () => {
  expect(served.map(({ call }) => call.name).toSorted()).toEqual(allCalls.map((call) => call.name).toSorted());
});

test('GET /api/openapi.json: describes the calls', async () => {
  const response = await fetch(`${app.url}/api/openapi.json`);
  const { openapi, paths } = (await response.json()) as { openapi: string; paths: Record<string, object> };
  expect(openapi).toBe('3.1.0');
  expect(Object.keys(paths)).toContain('/api/appointments/{appointmentId}');
});

test('responses: have the security headers and a policy without unsafe sources', async () => {
  for (const path of ['/ping', '/api/sign-in', '/nowhere']) {
    const { headers } = await fetch(`${app.url}${path}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  }
});

test('invalid JSON or body, too large, wrong media type, unknown path: return problem details', async () => {
  const post = (body: string, type: string) =>
    fetch(`${app.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': type }, body });
  const responses = [
    await post('{', 'application/json'),
    await post('{}', 'application/json'),
    await post('x'.repeat(600_000), 'application/json'),
    await post('<a/>', 'application/xml'),
    await fetch(`${app.url}/api/nothing`),
  ];
  const problems = await Promise.all(
    responses.map(async (response) => [response.status, ((await response.json()) as { code: string }).code]),
  );
  expect(problems).toEqual([
    [400, 'malformed'],
    [422, 'invalid'],
    [413, 'too-large'],
    [415, 'wrong-media'],
    [404, 'not-found'],
  ]);
  for (const response of responses) expect(response.headers.get('content-type')).toContain('application/problem+json');
});

test('GET /ping: returns 200 while the database responds', async () => {
  const response = await fetch(`${app.url}/ping`);
  expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
});

test('GET /ping and /health while all connections of the pool are in use: return 200', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  const holding = Array.from({ length: 20 }, (_, i) =>
    onBehalfOf({ group: `company ${i % 5}`, member: `U_${i}` }, () =>
      app.context.db.open({ kind: 'unauthenticated' }, () => released),
    ),
  );
  await expect.poll(() => app.context.db.load()).toMatchObject({ open: 20, idle: 0 });
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => (await fetch(`${app.url}${i % 2 ? '/ping' : '/health'}`)).status),
  );
  release();
  await Promise.all(holding);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('GET /health: returns the state of the parts; a backplane that is down keeps the status 200', async () => {
  const health = async (url: string) => {
    const response = await fetch(`${url}/health`);
    return [response.status, await response.json()];
  };
  const up = { database: 'up', backplane: 'up', draining: false };
  expect(await health(app.url)).toEqual([200, up]);
  // No server listens on this port.
  const isolated = await startServer(app.database.application, { REDIS_URL: 'redis://127.0.0.1:1' });
  onTestFinished(() => isolated.stop());
  // The first connection to the database may take long on a busy machine.
  await expect.poll(() => health(isolated.url)).toEqual([200, { ...up, backplane: 'down' }]);
  expect((await fetch(`${isolated.url}/ping`)).status).toBe(200);
});

test('POST /dev/clock: sets a test server’s time', async () => {
  const now = '2030-05-05T05:05:05.000Z';
  const set = await fetch(`${app.url}/dev/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now }),
  });
  expect(set.status).toBe(204);
  expect(Math.abs(app.clock.now() - Date.parse(now))).toBeLessThan(5000);
});
