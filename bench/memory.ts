import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startEnvironment, startFlags } from '../scripts/start-flags.ts';
import { buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { freePort } from '../signalr/test/free-port.ts';
import { benchSecret, buildBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments, startBenchCluster } from './support/cluster.ts';
import { fire, median, round, type Shot } from './support/load.ts';
import { requestsToApplication, type SignedIn, signIn } from './support/requests.ts';

const password = 'bench-password-2026';
const root = path.join(import.meta.dirname, '..');
const starts = 5;
/** A busy day of a clinic with ten members of staff: lists, counts, slots and patients. */
const requestsOfDay = 20_000;
/** V8 releases unused memory of an idle process after two minutes (bench/hub/measure-idle.ts). */
const settleMs = Number(process.env['SETTLE_SECONDS'] ?? 150) * 1000;

/** The reference: node:http with `ws`, which keeps its connections open. */
const bare = `
  import http from 'node:http';
  import { WebSocketServer } from 'ws';
  const server = http.createServer((_, response) => response.end());
  new WebSocketServer({ server, perMessageDeflate: false });
  server.listen(Number(process.env.PORT));`;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  /** From the start of the process to its first successful response, ms. */
  readonly startMs: number;
}

/**
 * Measures the resident memory of the built server (Linux): at the start, per 1,000 connected staff, and after a day's
 * requests, compared with bare node and `ws` in the same run; and the time from the start to the first response of /ready
 * with a running database. `count` is the number of staff.
 */
export async function memory(count = 1_000): Promise<Record<string, number>> {
  execFileSync(process.execPath, [path.join(root, 'scripts/build-server.ts')]);
  const cluster = await startBenchCluster();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-memory-'));
  try {
    const people = await buildPeople(cluster, count);
    const atStart = await measureStarts(cluster, folder);
    say(`at the start: ${atStart.oursMb} MB, bare ${atStart.bareMb} MB; ready after ${atStart.readyMs} ms`);
    const ours = await startOurs(cluster, folder);
    const reference = await startBare();
    const signedIn: SignedIn[] = [];
    for (const [index, { email }] of people.staff.entries()) {
      signedIn.push(await signIn(ours.port, { email, password }, `10.0.${index >> 8}.${index & 255}`));
    }
    const idle = await measureConnections(ours, reference, signedIn);
    say(`1,000 connected staff: ${idle.oursMb} MB, ws ${idle.bareMb} MB`);
    const [first] = people.staff;
    if (!first) throw new Error('There is no user.');
    // The first sign-in has expired meanwhile on a slow machine.
    const user = await signIn(ours.port, { email: first.email, password });
    const growthMb = await measureDay(ours, user, people.doctorId);
    say(`after ${requestsOfDay} requests: ${growthMb} MB more`);
    for (const { child } of [ours, reference]) child.kill('SIGKILL');
    return {
      staff: count,
      requests: requestsOfDay,
      startVsBare: round(atStart.oursMb / atStart.bareMb),
      startMb: atStart.oursMb,
      readyMs: atStart.readyMs,
      connectedVsWs: round(idle.oursMb / idle.bareMb),
      connectedMbPer1000: idle.oursMb,
      growthMb,
    };
  } finally {
    await cluster.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Returns the resident memory of a process, MB. */
function rssOf({ child }: Started): number {
  const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}

async function measureStarts(cluster: BenchCluster, folder: string) {
  const samples: { ours: number; bare: number; readyMs: number }[] = [];
  for (let turn = 0; turn < starts; turn += 1) {
    const ours = await startOurs(cluster, folder);
    const reference = await startBare();
    await pause(2_000);
    samples.push({ ours: rssOf(ours), bare: rssOf(reference), readyMs: ours.startMs });
    await Promise.all([ours, reference].map(stop));
  }
  return {
    oursMb: median(samples.map((one) => one.ours)),
    bareMb: median(samples.map((one) => one.bare)),
    readyMs: Math.round(median(samples.map((one) => one.readyMs))),
  };
}

async function measureConnections(ours: Started, reference: Started, signedIn: readonly SignedIn[]) {
  // The sign-ins have used memory that an idle process releases.
  await pause(settleMs);
  const before = { ours: rssOf(ours), bare: rssOf(reference) };
  const sockets: WebSocket[] = [];
  for (const [index, { accessToken }] of signedIn.entries()) {
    const query = new URLSearchParams({ access_token: accessToken, tab: `tab-${index}` });
    sockets.push(
      await connect(`ws://127.0.0.1:${ours.port}/messaging?${query}`, '{"protocol":"json","version":1}\u001e'),
    );
    sockets.push(await connect(`ws://127.0.0.1:${reference.port}/`));
  }
  await pause(settleMs);
  const perThousand = 1000 / signedIn.length;
  const open = sockets.filter((socket) => socket.readyState === WebSocket.OPEN).length;
  if (open < sockets.length) throw new Error(`${sockets.length - open} connections were closed.`);
  const result = {
    oursMb: round((rssOf(ours) - before.ours) * perThousand),
    bareMb: round((rssOf(reference) - before.bare) * perThousand),
  };
  for (const socket of sockets) socket.terminate();
  return result;
}

/** Connects; with a handshake waits for its response and answers pings, so that the hub keeps the connection. */
async function connect(url: string, handshake?: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => (handshake === undefined ? resolve() : socket.send(handshake)));
    socket.once('message', () => resolve());
  });
  if (handshake !== undefined) {
    const timer = setInterval(() => socket.send('{"type":6}\u001e'), 10_000);
    socket.on('close', () => clearInterval(timer));
  }
  return socket;
}

/** Returns how much more memory the server has after a day's requests, MB. */
async function measureDay(ours: Started, user: SignedIn, doctorId: number): Promise<number> {
  const at = requestsToApplication(ours.port, user);
  const mix: readonly Shot[] = [at.list(), at.count(), at.slots(doctorId, '2050-06-01'), at.patients()];
  const run = async (requests: number) => {
    let sent = 0;
    const work = async () => {
      for (let next = sent++; next < requests; next = sent++) await fire(mix[next % mix.length] as Shot);
    };
    await Promise.all(Array.from({ length: 8 }, work));
    await pause(settleMs);
  };
  // The code of the requests is compiled with the first of them.
  await run(1_000);
  const before = rssOf(ours);
  await run(requestsOfDay);
  return round(rssOf(ours) - before);
}

async function buildPeople(cluster: BenchCluster, count: number) {
  const app = await buildBenchApp(cluster.application);
  const { companyId } = await buildCompany(app.context, { timeZone: 'UTC' });
  const staff = [];
  for (let n = 0; n < count; n += 1) staff.push(await buildUser(app.context, { companyId, role: 'A', password }));
  const { userId: doctorId } = await buildUser(app.context, { companyId, role: 'D' });
  await app.close();
  await fillAppointments(cluster, companyId, 10_000);
  return { staff, doctorId };
}

const url = ({ host = '', port, user, database }: BenchCluster['owner']) =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;

function startOurs({ application, owner }: BenchCluster, folder: string): Promise<Started> {
  return start([...startFlags('start:production'), path.join(root, 'server/dist/main.js')], '/ready', {
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: benchSecret,
    DATABASE_URL: url(application),
    DATABASE_OWNER_URL: url(owner),
    DATA_DIR: path.join(folder, 'data'),
    TRUST_PROXY: '1',
    LOG_LEVEL: 'silent',
    ...startEnvironment('start:production'),
  });
}

const startBare = () => start(['--input-type=module', '--eval', bare], '/');

async function start(args: readonly string[], route: string, env: Record<string, string> = {}): Promise<Started> {
  const port = await freePort();
  const from = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: path.join(root, 'signalr'),
    env: { PATH: process.env['PATH'], PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}${route}`).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`${args.at(-1)} ended with ${child.exitCode}.`);
    await pause(5);
  }
  return { child, port, startMs: performance.now() - from };
}

async function stop({ child }: Started): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
