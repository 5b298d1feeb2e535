import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHubServer, hub } from '../src/index.ts';
import { messagePack } from '../src/protocol/messagepack.ts';

/** A server in a separate process, for measuring its memory. It sends its port, and its memory on request. */

export interface SoakServer {
  Join(group: string): void;
  ToGroup(group: string, text: string): number;
}
export interface SoakClient {
  Said(text: string): void;
}

export interface Memory {
  /** In bytes, after a garbage collection. */
  readonly rss: number;
  readonly heapUsed: number;
  readonly stats: { readonly connections: number; readonly groups: number; readonly users: number };
}

const room = hub<SoakServer, SoakClient, null>({
  path: '/hub',
  authenticate: ({ token }) => (token ? { userId: token, claims: null } : null),
  methods: {
    Join: (ctx, group) => ctx.groups.add(group),
    ToGroup: (ctx, group, text) => ctx.clients.othersIn(group).Said(text),
  },
});
const hubs = createHubServer({ hubs: [room], protocols: [messagePack] });
const http = createServer((request, response) => {
  if (!hubs.request(request, response)) response.writeHead(404).end();
});
http.on('upgrade', (request, socket, head) => {
  if (!hubs.upgrade(request, socket, head)) socket.destroy();
});
http.listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port));

process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { connections = 0, groups = 0, users = 0 } = hubs.stats().hubs['/hub'] ?? {};
  process.send?.({ rss, heapUsed, stats: { connections, groups, users } } satisfies Memory);
});
process.on('disconnect', () => process.exit());
