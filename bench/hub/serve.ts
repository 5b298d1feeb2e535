import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { serveCalls } from './children.ts';
import type { ServerKind } from './kinds.ts';
import type { Relay } from './servers/relay.ts';

/** A server process; the argument selects the kind. Each loads only its own library. */
const relays: Record<ServerKind, () => Promise<Relay>> = {
  ws: async () => (await import('./servers/ws.ts')).relayFrames,
  'ws-json': async () => (await import('./servers/ws.ts')).relayJson,
  'socket.io': async () => (await import('./servers/socket-io.ts')).relaySocketIo,
  signalr: async () => (await import('./servers/signalr.ts')).relaySignalR,
};

const counts = { relayed: 0 };
const http = createServer();
const relay = await relays[process.argv[2] as ServerKind]();
relay(http, counts);
// Starts with the first request, because idle time before it would lower the percentiles.
const delay = monitorEventLoopDelay({ resolution: 1 });
http.once('request', () => delay.enable());

const methods = {
  /** Resolves with the port; 0 takes a free one. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      // A large backlog for thousands of simultaneous connections: refused ones are retried after 1 s, 3 s and 7 s.
      http.listen(port, '127.0.0.1', 4_096, resolve);
    });
    return (http.address() as AddressInfo).port;
  },

  /** Returns the relayed messages, the CPU time of all threads (microseconds) and the time (ms) since the start. */
  snapshot() {
    const { user, system } = process.cpuUsage();
    return { relayed: counts.relayed, cpu: user + system, time: performance.now() };
  },

  /** Returns the memory in bytes after several garbage collections. */
  async memory() {
    for (let turn = 0; turn < 5; turn += 1) {
      globalThis.gc?.();
      await pause(100);
    }
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed };
  },

  /** Returns the event loop delay since the first request, ms. */
  loopDelay() {
    delay.disable();
    return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
  },
};
export type ServerMethods = typeof methods;

serveCalls(methods);
