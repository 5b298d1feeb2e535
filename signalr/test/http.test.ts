import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createHubServer, hub, redactUrl } from '../src/index.ts';
import { negotiate, Raw, refusedUpgrade, serve } from './support.ts';

interface Nothing {}

const open = hub<Nothing, Nothing>({ path: '/Hub', methods: {} });
const users = hub<Nothing, Nothing, string>({
  path: '/users',
  authenticate: ({ token }) => {
    if (token === 'broken') throw new Error('no database');
    return token ? { userId: token, claims: token } : null;
  },
  methods: {},
});
const cors = { origins: ['https://good.example'] };

test('C1 preflight: returns the origin, credentials, methods and headers', async () => {
  const { url } = await serve(open, { cors });
  const response = await fetch(`${url}/hub/negotiate`, {
    method: 'OPTIONS',
    headers: { origin: 'https://good.example' },
  });
  expect(response.status).toBe(204);
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({
    'access-control-allow-origin': 'https://good.example',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, X-Requested-With, X-SignalR-User-Agent',
    'access-control-max-age': '7200',
    vary: 'Origin',
  });
});

test('C2 CORS headers: only for an allowed origin, also on refusals', async () => {
  const { url } = await serve(users, { cors: { origins: (origin) => origin.endsWith('good.example') } });
  const ask = (origin: string) => fetch(`${url}/users/negotiate`, { method: 'POST', headers: { origin } });
  const good = await ask('https://good.example');
  expect(good.status).toBe(401);
  expect(good.headers.get('access-control-allow-origin')).toBe('https://good.example');
  const bad = await ask('https://bad.example');
  expect([bad.status, await bad.text()]).toEqual([403, 'This origin may not connect']);
  expect(bad.headers.get('access-control-allow-origin')).toBeNull();
  expect(bad.headers.get('vary')).toBe('Origin');
});

test('C3 a WebSocket of another origin: refused', async () => {
  const { url } = await serve(open, { cors });
  expect(await refusedUpgrade(`${url}/hub`, { origin: 'https://bad.example' })).toEqual({
    status: 403,
    body: 'This origin may not connect',
  });
  const allowed: Record<string, string>[] = [{ origin: 'https://good.example' }, { origin: url }, {}];
  for (const headers of allowed) await Raw.connect(`${url}/hub`, { headers });
});

test('A1 token: from the header, otherwise from the query', async () => {
  const { url, hubs } = await serve(users);
  await Raw.connect(`${url}/users`, { headers: { authorization: 'Bearer anna' }, query: '?access_token=ben' });
  await Raw.connect(`${url}/users`, { query: '?access_token=ben' });
  expect(
    hubs
      .of(users)
      .connections()
      .map(({ userId }) => userId),
  ).toEqual(['anna', 'ben']);
});

test('A2 unauthenticated: 401 without a body for negotiation and upgrade @HUB-1', async () => {
  const { url } = await serve(users);
  const response = await fetch(`${url}/users/negotiate?negotiateVersion=1`, { method: 'POST' });
  expect([response.status, response.statusText, await response.text()]).toEqual([401, 'Unauthorized', '']);
  expect(await refusedUpgrade(`${url}/users`)).toEqual({ status: 401, body: '' });
});

test('A2 authenticate throws: 500, logged without the token', async () => {
  const { url, logged } = await serve(users);
  const response = await fetch(`${url}/users/negotiate?access_token=broken`, { method: 'POST' });
  expect(response.status).toBe(500);
  expect(await refusedUpgrade(`${url}/users?access_token=broken`)).toEqual({ status: 500, body: '' });
  expect(logged.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'request failed'],
    ['error', 'upgrade failed'],
  ]);
  expect(JSON.stringify(logged)).not.toContain('broken');
});

test('A3 connect as another user than the one who negotiated: 403', async () => {
  const { url } = await serve(users);
  const { connectionToken } = await negotiate(`${url}/users`, '?negotiateVersion=1', { authorization: 'Bearer anna' });
  const path = `${url}/users?id=${connectionToken}`;
  expect((await refusedUpgrade(path, { authorization: 'Bearer ben' })).status).toBe(403);
  const poll = await fetch(path, { headers: { authorization: 'Bearer ben' } });
  expect(poll.status).toBe(403);
  await Raw.connect(path, { headers: { authorization: 'Bearer anna' } });
});

test.for([
  ['/hub?id=abc&x=1', '/hub?id=REDACTED&x=1'],
  ['/hub?Access_Token=abc&%69d=abc', '/hub?Access_Token=REDACTED&%69d=REDACTED'],
  ['https://h/p?x=id&access_token=a=b#top', 'https://h/p?x=id&access_token=REDACTED#top'],
  ['/hub?%zz=1&id', '/hub?%zz=1&id'],
  ['/hub', '/hub'],
])('A5 redactUrl: %s becomes %s', ([url, expected]) => {
  expect(redactUrl(url as string)).toBe(expected);
});

test('N1 negotiate: returns a public id, a secret token and the transports @HUB-1', async () => {
  const { url } = await serve(open);
  const answer = await negotiate(`${url}/hub`);
  expect(answer).toEqual({
    negotiateVersion: 1,
    connectionId: expect.stringMatching(/^[\w-]{8}\.[\w-]{22}$/),
    connectionToken: expect.stringMatching(/^[\w-]{8}\.[\w-]{22}$/),
    availableTransports: [
      { transport: 'WebSockets', transferFormats: ['Text', 'Binary'] },
      { transport: 'ServerSentEvents', transferFormats: ['Text'] },
      { transport: 'LongPolling', transferFormats: ['Text', 'Binary'] },
    ],
  });
  expect(answer.connectionToken).not.toBe(answer.connectionId);
  expect((await refusedUpgrade(`${url}/hub?id=${answer.connectionId}`)).status).toBe(404);
});

test('N2 negotiate version: 0 has no token, newer ones return 1, parameter names are case-insensitive', async () => {
  const { url } = await serve(open);
  const old = await negotiate(`${url}/hub`, '');
  expect(old).not.toHaveProperty('connectionToken');
  await Raw.connect(`${url}/hub?ID=${old.connectionId}`);
  expect(await negotiate(`${url}/hub`, '?NEGOTIATEVERSION=7')).toMatchObject({ negotiateVersion: 1 });
});

test.for([
  ['?negotiateVersion=1.5', 'The client requested a non-integer protocol version.'],
  ['?negotiateVersion=', 'The client requested a non-integer protocol version.'],
  ['?negotiateVersion=-1', "The client requested version '-1', but the server does not support this version."],
])('N3 negotiate with %s: %s', async ([query, error]) => {
  const { url } = await serve(open);
  expect(await negotiate(`${url}/hub`, query)).toEqual({ error });
});

test('N3 minNegotiateVersion 1: version 0 gets an error', async () => {
  const { url } = await serve(hub<Nothing, Nothing>({ path: '/new', minNegotiateVersion: 1, methods: {} }));
  const error = "The client requested version '0', but the server does not support this version.";
  expect(await negotiate(`${url}/new`, '')).toEqual({ error });
});

test('N4 other HTTP methods: 405', async () => {
  const { url } = await serve(open);
  const response = await fetch(`${url}/hub/negotiate`);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await fetch(`${url}/hub`, { method: 'PUT' })).status).toBe(405);
});

test('N5 an unused negotiation: expires after 15 s', async () => {
  const { url, clock, hubs } = await serve(open);
  const { connectionToken } = await negotiate(`${url}/hub`);
  clock.advance(14_000);
  expect(hubs.stats().hubs['/Hub']?.negotiations).toBe(1);
  clock.advance(1_000);
  expect(hubs.stats().hubs['/Hub']?.negotiations).toBe(0);
  expect(await refusedUpgrade(`${url}/hub?id=${connectionToken}`)).toEqual({
    status: 404,
    body: 'No Connection with that ID',
  });
});

test('N6 negotiationsPerUser: the oldest of the user is dropped, other users keep theirs', async () => {
  const limited = hub<Nothing, Nothing, null>({
    path: '/hub',
    authenticate: ({ token }) => ({ userId: token, claims: null }),
    limits: { negotiationsPerUser: 2 },
    methods: {},
  });
  const { url, hubs } = await serve(limited);
  const as = (user: string) => ({ authorization: `Bearer ${user}` });
  await negotiate(`${url}/hub`, '', as('ben'));
  const [first, second, third] = [
    await negotiate(`${url}/hub`, '', as('anna')),
    await negotiate(`${url}/hub`, '', as('anna')),
    await negotiate(`${url}/hub`, '', as('anna')),
  ];
  expect(hubs.stats().hubs['/hub']?.negotiations).toBe(3);
  expect((await refusedUpgrade(`${url}/hub?id=${first.connectionId}`, as('anna'))).status).toBe(404);
  await Raw.connect(`${url}/hub?id=${second.connectionId}`, { headers: as('anna') });
  await Raw.connect(`${url}/hub?id=${third.connectionId}`, { headers: as('anna') });
});

test('N7 paths: case-insensitive, and other paths are not handled', async () => {
  const { url } = await serve(open);
  expect((await fetch(`${url}/HUB/Negotiate`, { method: 'POST' })).status).toBe(200);
  for (const path of ['/', '/hub//', '/hub/negotiate/more', '/hubs'])
    expect((await fetch(url + path)).status).toBe(418);
  expect((await refusedUpgrade(`${url}/other`)).status).toBe(418);
});

test('two hubs with one path, or two methods with one name: throws', () => {
  expect(() => createHubServer({ hubs: [open, { ...open, path: '/hub' }] })).toThrow('Two hubs have the path /hub.');
  expect(() => hub({ path: 'hub', methods: {} })).toThrow('Not a path for a hub: hub');
  const yields = { Count: async function* () {} } as never;
  expect(() => hub({ path: '/h', methods: yields })).toThrow('Count yields a stream: wrap it in stream().');
  const never = { limits: { messageBytes: 0 } };
  expect(() => hub({ path: '/h', methods: {}, ...never })).toThrow('messageBytes must be a number above 0.');
  expect(() => hub({ path: '/h', methods: {}, timings: { pollMs: Number.NaN } })).toThrow('pollMs must be');
  expect(() => hub<{ A(): void; a(): void }, Nothing>({ path: '/h', methods: { A() {}, a() {} } })).toThrow('case');
});

test('W2 unknown id: 404; a second WebSocket for a connection: 409', async () => {
  const { url } = await serve(open);
  expect((await refusedUpgrade(`${url}/hub?id=unknown`)).status).toBe(404);
  const { connectionToken } = await negotiate(`${url}/hub`);
  await Raw.connect(`${url}/hub?id=${connectionToken}`);
  expect((await refusedUpgrade(`${url}/hub?id=${connectionToken}`)).status).toBe(409);
});

test('W3 requests of other transports: the status and text of ASP.NET Core', async () => {
  const { url } = await serve(hub<Nothing, Nothing>({ path: '/hub', methods: {}, transports: ['WebSockets'] }));
  const { connectionToken, availableTransports } = await negotiate(`${url}/hub`);
  expect(availableTransports).toEqual([{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }]);
  const ask = async (method: string, query: string, headers = {}) => {
    const response = await fetch(`${url}/hub${query}`, { method, headers });
    return [response.status, await response.text()];
  };
  const id = `?id=${connectionToken}`;
  expect(await ask('GET', '')).toEqual([400, 'Connection ID required']);
  expect(await ask('GET', '?id=x')).toEqual([404, 'No Connection with that ID']);
  expect(await ask('GET', id)).toEqual([404, 'LongPolling transport not supported by this end point type']);
  expect(await ask('GET', id, { accept: 'text/event-stream' })).toEqual([
    404,
    'ServerSentEvents transport not supported by this end point type',
  ]);
  await Raw.connect(`${url}/hub${id}`);
  expect(await ask('POST', id)).toEqual([405, 'POST requests are not allowed for WebSocket connections.']);
  expect(await ask('DELETE', id)).toEqual([400, 'Cannot terminate this connection using the DELETE endpoint.']);
});

test('W6 compression: not negotiated', async () => {
  const { url } = await serve(open);
  const { ws } = await Raw.connect(`${url}/hub`);
  expect(ws.extensions).toBe('');
});

test('O2 drain: new connections get 503', async () => {
  const { url, hubs } = await serve(open);
  const { connectionToken } = await negotiate(`${url}/hub`);
  await hubs.drain();
  const response = await fetch(`${url}/hub/negotiate`, { method: 'POST' });
  expect([response.status, await response.text()]).toEqual([503, 'The server is shutting down']);
  expect((await refusedUpgrade(`${url}/hub?id=${connectionToken}`)).status).toBe(503);
});

test('a client that disconnects while it is being authenticated: the server continues', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ claims: null }>();
  const slow = hub<Nothing, Nothing, null>({
    path: '/slow',
    authenticate: () => {
      asked.resolve();
      return answer.promise;
    },
    methods: {},
  });
  const { url, hubs, sockets } = await serve(slow);
  const refused = refusedUpgrade(`${url}/slow`).catch(() => {});
  await asked.promise;
  const [socket] = sockets;
  const gone = once(socket as NonNullable<typeof socket>, 'close');
  socket?.destroy();
  await gone;
  answer.resolve({ claims: null });
  await answer.promise;
  void refused;
  expect(hubs.stats().hubs['/slow']?.connections).toBe(0);
});
