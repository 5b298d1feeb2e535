import { allCalls } from '@roomside/contract/calls.ts';
import { expect, onTestFinished, test } from 'vitest';
import { served } from '../src/features/calls.ts';
import { startServer } from './server-process.ts';
import { startTestApp } from './test-app.ts';

const app = await startTestApp();

test('every call of the contract is served, once', () => {
  expect(served.map(({ call }) => call.name).toSorted()).toEqual(allCalls.map((call) => call.name).toSorted());
});

test('OpenAPI is printed from the calls', async () => {
  const answer = await fetch(`${app.url}/api/openapi.json`);
  const { openapi, paths } = (await answer.json()) as { openapi: string; paths: Record<string, object> };
  expect(openapi).toBe('3.1.0');
  expect(Object.keys(paths)).toContain('/api/appointments/{appointmentId}');
});

test('every answer carries the security headers, and nothing inline may run', async () => {
  for (const path of ['/ping', '/api/session', '/nowhere']) {
    const { headers } = await fetch(`${app.url}${path}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  }
});

test('bad bodies are refused as problem details: not JSON, too large, of another kind, an unknown path', async () => {
  const post = (body: string, type: string) =>
    fetch(`${app.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': type }, body });
  const seen = [
    await post('{', 'application/json'),
    await post('{}', 'application/json'),
    await post('x'.repeat(600_000), 'application/json'),
    await post('<a/>', 'application/xml'),
    await fetch(`${app.url}/api/nothing`),
  ];
  const problems = await Promise.all(
    seen.map(async (answer) => [answer.status, ((await answer.json()) as { code: string }).code]),
  );
  expect(problems).toEqual([
    [400, 'malformed'],
    [422, 'invalid'],
    [413, 'too-large'],
    [415, 'wrong-media'],
    [404, 'not-found'],
  ]);
  for (const answer of seen) expect(answer.headers.get('content-type')).toContain('application/problem+json');
});

test('ping tells whether the database answers', async () => {
  const answer = await fetch(`${app.url}/ping`);
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
});

test('health tells a balancer what is up; a backplane that is down takes nobody out of service', async () => {
  const health = async (url: string) => {
    const answer = await fetch(`${url}/health`);
    return [answer.status, await answer.json()];
  };
  const up = { database: 'up', backplane: 'up', draining: false };
  expect(await health(app.url)).toEqual([200, up]);
  // Nobody listens there.
  const cut = await startServer(app.database.application, { REDIS_URL: 'redis://127.0.0.1:1' });
  onTestFinished(() => cut.stop());
  expect(await health(cut.url)).toEqual([200, { ...up, backplane: 'down' }]);
  expect((await fetch(`${cut.url}/ping`)).status).toBe(200);
});

test('a test server’s time can be set', async () => {
  const now = '2030-05-05T05:05:05.000Z';
  const set = await fetch(`${app.url}/dev/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now }),
  });
  expect(set.status).toBe(204);
  expect(Math.abs(app.clock.now() - Date.parse(now))).toBeLessThan(5000);
});
