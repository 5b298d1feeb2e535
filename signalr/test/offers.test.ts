import type { IncomingMessage } from 'node:http';
import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { expect, onTestFinished, test } from 'vitest';
import { hub } from '../src/index.ts';
import { messagePack } from '../src/protocol/messagepack.ts';
import { negotiate, Raw, refusedUpgrade, serve } from './support.ts';
import { world } from './world.ts';

/** Offered transports, redirects, and refusals of what is not offered. */

interface Server {
  Who(): string;
}
const methods = { Who: (ctx: { readonly userId: string | undefined }) => ctx.userId ?? 'anonymous' };

test('N8 transports by request: only the offered ones are served', async () => {
  const transports = ({ headers }: IncomingMessage) =>
    headers['x-proxy'] === 'bad' ? (['LongPolling'] as const) : (['WebSockets', 'ServerSentEvents'] as const);
  const { url } = await serve(hub<Server, object>({ path: '/hub', transports, methods }));
  const names = async (headers = {}) =>
    (await negotiate(`${url}/hub`, undefined, headers)).availableTransports.map(
      ({ transport }: { transport: string }) => transport,
    );
  const bad = { 'x-proxy': 'bad' };
  expect(await names()).toEqual(['WebSockets', 'ServerSentEvents']);
  expect(await names(bad)).toEqual(['LongPolling']);
  const { connectionToken } = await negotiate(`${url}/hub`);
  const at = `${url}/hub?id=${connectionToken}`;
  expect((await refusedUpgrade(at, bad)).status).toBe(404);
  expect((await fetch(at, { headers: { ...bad, accept: 'text/event-stream' } })).status).toBe(404);
  expect((await fetch(at)).status).toBe(404);
  await Raw.connect(at);
});

test.for([1, 2])('N8 %i nodes: a client whose WebSockets fail uses another transport', async (instances) => {
  const { url, served, definition } = await world(instances);
  for (const { http } of served)
    http.removeAllListeners('upgrade').on('upgrade', (_request, socket) => socket.destroy());
  const connection = new HubConnectionBuilder()
    .withUrl(`${url}/hub`, { accessTokenFactory: () => 'anna' })
    .configureLogging(LogLevel.None)
    .build();
  onTestFinished(() => connection.stop());
  await connection.start();
  expect(await connection.invoke('Echo', 'here')).toBe('here');
  const there = served.flatMap(({ hubs }) => hubs.of(definition).connections());
  expect(there).toMatchObject([{ userId: 'anna', transport: 'ServerSentEvents' }]);
});

test('N9 redirect: the client connects to another server with another token', async () => {
  const authenticate = ({ token }: { readonly token: string | undefined }) => ({ userId: token, claims: null });
  const target = await serve(hub<Server, object, null>({ path: '/there', authenticate, methods }));
  const redirect = ({ token }: { readonly token: string | undefined }) =>
    token === 'stay' ? undefined : { url: `${target.url}/there?region=2`, accessToken: `${token}-elsewhere` };
  const { url } = await serve(hub<Server, object, null>({ path: '/hub', authenticate, redirect, methods }));
  const who = async (user: string) => {
    const connection = new HubConnectionBuilder()
      .withUrl(`${url}/hub`, { accessTokenFactory: () => user, transport: HttpTransportType.LongPolling })
      .configureLogging(LogLevel.None)
      .build();
    onTestFinished(() => connection.stop());
    await connection.start();
    return connection.invoke('Who');
  };
  expect(await who('stay')).toBe('stay');
  expect(await who('anna')).toBe('anna-elsewhere');
  expect(target.hubs.stats().hubs['/there']?.connections).toBe(1);
});

test('N10 refresh: reserved, 404', async () => {
  const { url } = await serve(hub<Server, object>({ path: '/hub', methods }));
  const response = await fetch(`${url}/hub/refresh?id=x`, { method: 'POST' });
  expect([response.status, await response.json()]).toMatchObject([404, { error: 'refresh_disabled' }]);
  expect((await fetch(`${url}/hub/refresh`)).status).toBe(405);
});

test('H5 a binary protocol on a text transport, or an unknown one: refused', async () => {
  const { url } = await serve(hub<Server, object>({ path: '/hub', methods }), { protocols: [messagePack] });
  const { connectionToken } = await negotiate(`${url}/hub`);
  const at = `${url}/hub?id=${connectionToken}`;
  const stream = await fetch(at, { headers: { accept: 'text/event-stream' } });
  await fetch(at, { method: 'POST', body: '{"protocol":"messagepack","version":1}\x1e' });
  expect(await stream.text()).toContain(
    "Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.",
  );
  const json = await serve(hub<Server, object>({ path: '/hub', methods }));
  const raw = await Raw.connect(`${json.url}/hub`, { handshake: false });
  raw.send({ protocol: 'messagepack', version: 1 });
  expect(await raw.next()).toEqual({ error: "The protocol 'messagepack' is not supported." });
  await raw.closed;
});

test('S1 stateful reconnect on another transport than WebSockets: not enabled', async () => {
  const { url, hubs } = await serve(hub<Server, object>({ path: '/hub', methods }));
  const { connectionToken } = await negotiate(`${url}/hub`, '?negotiateVersion=1&useStatefulReconnect=true');
  const at = `${url}/hub?id=${connectionToken}`;
  const stop = new AbortController();
  const stream = await fetch(at, { headers: { accept: 'text/event-stream' }, signal: stop.signal });
  await fetch(at, { method: 'POST', body: '{"protocol":"json","version":2}\x1e' });
  expect((await refusedUpgrade(at)).status).toBe(400);
  stop.abort();
  await stream.text().catch(() => {});
  await expect.poll(() => hubs.stats().hubs['/hub']?.connections).toBe(0);
});
