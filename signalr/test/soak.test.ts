import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { HttpTransportType, type HubConnection, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { typed } from '../src/client.ts';
import type { Memory, SoakClient, SoakServer } from './soak-server.ts';
import { type Kind, kinds } from './world.ts';

const long = process.env['SIGNALR_LONG'] !== undefined;
/** One hour with `npm run test:long`, otherwise a short run. */
const extent = long
  ? { minutes: Number(process.env['SIGNALR_SOAK_MINUTES'] ?? 60), standing: 2_000, sampleMs: 30_000 }
  : { minutes: 0.07, standing: 200, sampleMs: 1_000 };
/** The minimum number of samples; with fewer the noise exceeds the growth. */
const minSamplesForGrowth = 30;
/** Clients that connect and disconnect per second. */
const churn = 20;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function startServer() {
  const server = fork(path.join(import.meta.dirname, 'soak-server.ts'), { execArgv: ['--expose-gc'] });
  onTestFinished(() => void server.kill());
  const [port] = (await once(server, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/hub`,
    async memory(): Promise<Memory> {
      server.send('memory');
      const [memory] = (await once(server, 'message')) as [Memory];
      return memory;
    },
  };
}

/** Opens a raw connection and completes its handshake. */
async function openRaw(url: string, user: string): Promise<WebSocket> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}?access_token=${user}`);
  await once(ws, 'open');
  ws.on('error', () => {});
  ws.send('{"protocol":"json","version":1}\x1e');
  await once(ws, 'message');
  return ws;
}

/** An idle client that only sends pings. */
async function runIdleClient(url: string, user: string): Promise<void> {
  const ws = await openRaw(url, user);
  const beat = setInterval(() => ws.send('{"type":6}\x1e'), 15_000);
  onTestFinished(() => {
    clearInterval(beat);
    ws.terminate();
  });
}

/** Microsoft's client connects, joins, sends and stops; every tenth time a raw client also disconnects without a Close message. */
async function runClient(url: string, number: number): Promise<void> {
  const [transport, protocol] = kinds[number % kinds.length] as Kind;
  let builder = new HubConnectionBuilder()
    .withUrl(url, { transport: HttpTransportType[transport], accessTokenFactory: () => `guest-${number}` })
    .configureLogging(LogLevel.None);
  if (protocol === 'messagepack') builder = builder.withHubProtocol(new MessagePackHubProtocol());
  if (number % 2 === 0) builder = builder.withStatefulReconnect();
  const guest = typed<SoakServer, SoakClient, HubConnection>(builder.build());
  guest.on('Said', () => {});
  await guest.start();
  await guest.invoke('Join', `room-${number % 10}`);
  await guest.invoke('ToGroup', `room-${number % 10}`, 'x'.repeat((number * 997) % 10_000));
  await guest.stop();
  if (number % 10 === 0) (await openRaw(url, `rude-${number}`)).terminate();
}

/** Returns the growth per hour as a share of the mean, by linear regression. */
function growth(samples: readonly { at: number; bytes: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = mean(samples.map((sample) => sample.at));
  const bytes = mean(samples.map((sample) => sample.bytes));
  const slope =
    mean(samples.map((sample) => (sample.at - at) * (sample.bytes - bytes))) /
    mean(samples.map((sample) => (sample.at - at) ** 2));
  return (slope * 3_600_000) / bytes;
}

test(`O6 ${extent.standing} idle clients, ${churn} a second connect and disconnect: the server's memory does not grow`, {
  timeout: (extent.minutes + 5) * 60_000,
}, async () => {
  const { url, memory } = await startServer();
  for (let number = 0; number < extent.standing; number += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => runIdleClient(url, `standing-${number + index}`)));
  }
  const began = Date.now();
  const samples: { at: number; bytes: number; heap: number }[] = [];
  const visits = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for (let number = 0; Date.now() - began < extent.minutes * 60_000; number++) {
    const visiting = runClient(url, number)
      .catch((error) => void failures.push(error))
      .finally(() => visits.delete(visiting));
    visits.add(visiting);
    await pause(Math.max(0, began + (number * 1_000) / churn - Date.now()));
    if (Date.now() - began < (samples.length + 1) * extent.sampleMs) continue;
    const { rss, heapUsed } = await memory();
    samples.push({ at: Date.now(), bytes: rss, heap: heapUsed });
  }
  await Promise.all(visits);
  expect(failures).toEqual([]);
  const forgotten = { connections: extent.standing, users: extent.standing, groups: 0 };
  await expect.poll(async () => (await memory()).stats, { timeout: 40_000 }).toEqual(forgotten);

  const settled = samples.slice(samples.length / 2);
  if (extent.minutes >= minSamplesForGrowth) {
    const perHour = growth(settled);
    const rss = (settled.at(-1)?.bytes ?? 0) / 2 ** 20;
    // oxlint-disable-next-line no-console -- The result of the test.
    console.log(
      `soak of ${extent.minutes} min: ${rss.toFixed(0)} MB, growing by ${(100 * perHour).toFixed(2)} % an hour`,
    );
    expect(perHour).toBeLessThan(0.01);
  } else {
    const heaps = settled.map(({ heap }) => heap);
    expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(10_000_000);
  }
});
