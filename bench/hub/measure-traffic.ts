import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { median, round } from '../support/load.ts';
import { type ClientKind, serverKinds } from './kinds.ts';
import { type Load, type Server, say, startServer } from './processes.ts';

const pacedPerSecond = 4_000;
const warmMs = 3_000;
const rampMs = 300;
/** A window in which other machines took more than this share of the cores' time is repeated, at most this many times. */
const maxStolenShare = 1 / 500;
const maxRepeats = 2;

interface Window {
  perSecond: number;
  /** Microseconds of the server's threads per relayed message. */
  cpu: number;
  /** Milliseconds from client to client. */
  p50: number;
  p99: number;
  /** The load of the clients' process; 1 is a whole core. */
  loadBusy: number;
  /** CPU time that other machines on the host took, ms. */
  stolen: number;
}

/** By kind, one window per turn. */
type Windows = Map<ClientKind, Window[]>;

/** The number of turns of every server, and their duration. */
interface Turns {
  readonly turns: number;
  readonly windowMs: number;
}

/**
 * All servers run with their connections and are measured by turns, so that other load affects one window of each server rather than all of
 * one. Saturated: each connection always has one message in flight. Paced: 4,000 messages per second without waiting; these turns must be
 * long enough to include garbage collections.
 */
export async function measureTraffic(load: Load, connections: number, how: { saturated: Turns; paced: Turns }) {
  const servers = await connectAll(load, connections);
  const ramp = { saturated: saturate, paced: pace };
  for (const [kind] of servers) {
    await saturate(kind);
    await pause(warmMs);
    await load.call('quiet', kind);
  }
  const saturated = await takeTurns('saturated');
  const paced = await takeTurns('paced');
  for (const [kind, server] of servers) {
    await load.call('disconnect', kind);
    await server.stop();
  }

  const cpu = (windows: Windows, other: ClientKind, ours: ClientKind = 'signalr') =>
    round(median(of(windows, ours).map((window, turn) => window.cpu / (of(windows, other)[turn]?.cpu ?? Number.NaN))));
  const p99 = (kind: ClientKind) => median(of(paced, kind).map((window) => window.p99));
  const best = (kind: ClientKind) => Math.max(...of(saturated, kind).map(({ perSecond }) => perSecond));
  const stateful = (windows: Windows) =>
    servers.has('signalr-stateful') ? Math.round((cpu(windows, 'signalr', 'signalr-stateful') - 1) * 100) : null;
  return {
    cpuVsWs: cpu(saturated, 'ws'),
    cpuVsWsJson: cpu(saturated, 'ws-json'),
    cpuVsSocketIo: cpu(saturated, 'socket.io'),
    throughputVsWs: round(best('signalr') / best('ws')),
    throughputVsSocketIo: round(best('signalr') / best('socket.io')),
    p99VsWs: round(p99('signalr') / p99('ws')),
    p99VsSocketIo: round(p99('signalr') / p99('socket.io')),
    statefulCpuPercent: stateful(saturated),
    statefulPacedCpuPercent: stateful(paced),
  };

  function saturate(kind: ClientKind): Promise<void> {
    return load.call('saturate', kind);
  }

  function pace(kind: ClientKind): Promise<void> {
    return load.call('pace', kind, pacedPerSecond);
  }

  async function takeTurns(name: keyof typeof ramp): Promise<Windows> {
    const { turns, windowMs } = how[name];
    const order = [...servers];
    const windows: Windows = new Map(order.map(([kind]) => [kind, []]));
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [kind, server] of order) windows.get(kind)?.push(await quietWindow(name, kind, server, windowMs));
      // Changes the order, so that no server always follows the same one.
      order.push(...order.splice(0, 2));
    }
    printWindows(name, windows);
    return windows;
  }

  /** Returns the least disturbed of several windows, or the first undisturbed one. */
  async function quietWindow(name: keyof typeof ramp, kind: ClientKind, server: Server, ms: number): Promise<Window> {
    const tried: Window[] = [];
    while (tried.length <= maxRepeats) {
      await ramp[name](kind);
      await pause(rampMs);
      const window = await measureWindow(load, kind, server, ms);
      await load.call('quiet', kind);
      tried.push(window);
      if (window.stolen <= ms * cpus().length * maxStolenShare) break;
    }
    return tried.reduce((best, window) => (window.stolen < best.stolen ? window : best));
  }
}

/** Without stateful reconnect when the server does not grant it. */
async function connectAll(load: Load, connections: number): Promise<Map<ClientKind, Server>> {
  const servers = new Map<ClientKind, Server>();
  for (const kind of [...serverKinds, 'signalr-stateful'] as const) {
    const server = await startServer(kind === 'signalr-stateful' ? 'signalr' : kind);
    const granted = await load.call('connect', kind, server.port, connections);
    if (granted || kind !== 'signalr-stateful') {
      servers.set(kind, server);
    } else {
      await load.call('disconnect', kind);
      await server.stop();
    }
  }
  return servers;
}

async function measureWindow(load: Load, kind: ClientKind, server: Server, ms: number): Promise<Window> {
  await load.call('watch', kind);
  const loadBefore = await load.call('cpu');
  const stolenBefore = stolenMs();
  const before = await server.call('snapshot');
  await pause(ms);
  const after = await server.call('snapshot');
  const stolen = stolenMs() - stolenBefore;
  const loadAfter = await load.call('cpu');
  const { p50, p99 } = await load.call('latencies', kind);
  const relayed = after.relayed - before.relayed;
  // Repeats a window in which the machine was suspended.
  if (relayed === 0) return measureWindow(load, kind, server, ms);
  const passedMs = after.time - before.time;
  return {
    perSecond: (relayed / passedMs) * 1_000,
    cpu: (after.cpu - before.cpu) / relayed,
    p50,
    p99,
    loadBusy: (loadAfter - loadBefore) / passedMs / 1_000,
    stolen,
  };
}

/** Returns the stolen CPU time since the start of the machine, in steps of 10 ms (man 5 proc_stat). */
function stolenMs(): number {
  const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/ +/).map(Number);
  return (ticks[7] ?? 0) * 10;
}

function of(windows: Windows, kind: ClientKind): readonly Window[] {
  return windows.get(kind) ?? [];
}

/** Prints the medians, with the best value and, for CPU, the range. */
function printWindows(how: string, windows: Windows): void {
  say(`${how.padEnd(17)}  msg/s (best)    CPU us/msg (range)   p50 / p99 (best) ms  clients busy  stolen ms`);
  for (const [kind, list] of windows) {
    const figures = (name: keyof Window) => list.map((window) => window[name]);
    const middle = (name: keyof Window, digits: number) => median(figures(name)).toFixed(digits);
    const cpus = figures('cpu');
    const cells = [
      `${middle('perSecond', 0)} (${Math.max(...figures('perSecond')).toFixed(0)})`.padStart(15),
      `${middle('cpu', 1)} (${Math.min(...cpus).toFixed(1)}-${Math.max(...cpus).toFixed(1)})`.padStart(20),
      `${middle('p50', 2)} / ${middle('p99', 2)} (${Math.min(...figures('p99')).toFixed(2)})`.padStart(23),
      middle('loadBusy', 2).padStart(8),
      `${middle('stolen', 0)} (${Math.max(...figures('stolen'))})`.padStart(15),
    ];
    say(`${kind.padEnd(17)}${cells.join('')}`);
  }
}
