import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from './children.ts';
import type { ServerKind } from './kinds.ts';
import type { Relay } from './servers/relay.ts';

/** A server process, by its argument; each loads only its own library. */
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
// From the first request on: the quiet before it would only flatter.
const delay = monitorEventLoopDelay({ resolution: 1 });
http.once('request', () => delay.enable());

const answers = {
  /** Resolves with the port; 0 takes a free one. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      // Thousands come at once: whom the kernel turns away tries again after a second, then after three, then seven.
      http.listen(port, '127.0.0.1', 4_096, resolve);
    });
    return (http.address() as AddressInfo).port;
  },

  /** What has been done and used since the start; cpu in microseconds of all threads, time in ms. */
  snapshot() {
    const { user, system } = process.cpuUsage();
    return { relayed: counts.relayed, cpu: user + system, time: performance.now() };
  },

  /** Bytes after collecting garbage until nothing more is found. */
  async memory() {
    for (let turn = 0; turn < 5; turn += 1) {
      globalThis.gc?.();
      await pause(100);
    }
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed };
  },

  /** Milliseconds, of the time since the first request. */
  loopDelay() {
    delay.disable();
    return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
  },
};
export type ServerAnswers = typeof answers;

answerCalls(answers);
