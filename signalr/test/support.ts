import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type RawData, WebSocket } from 'ws';
import {
  type Clock,
  createHubServer,
  type Hub,
  type HubServer,
  type HubServerOptions,
  type Logger,
} from '../src/index.ts';

/** A clock that moves only when the test moves it. */
export class TestClock implements Clock {
  #now = Date.UTC(2030, 0, 1);
  #intervals = new Set<{ readonly callback: () => void; readonly everyMs: number; next: number }>();

  now(): number {
    return this.#now;
  }

  setInterval(callback: () => void, everyMs: number): unknown {
    const interval = { callback, everyMs, next: this.#now + everyMs };
    this.#intervals.add(interval);
    return interval;
  }

  clearInterval(handle: unknown): void {
    this.#intervals.delete(handle as never);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#intervals].filter((i) => i.next <= end).sort((a, b) => a.next - b.next)[0];
      if (!next) break;
      this.#now = next.next;
      next.next += next.everyMs;
      next.callback();
    }
    this.#now = end;
  }
}

export interface Served {
  readonly hubs: HubServer;
  readonly clock: TestClock;
  readonly http: Server;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The server's sockets. */
  readonly sockets: Set<Socket>;
  readonly logged: { readonly level: string; readonly details: object; readonly message: string }[];
}

type SomeHub = Hub<unknown, unknown, unknown>;

/** Serves hubs on a free port and closes the server when the test ends. */
export async function serve(
  hub: SomeHub | readonly SomeHub[],
  options: Partial<HubServerOptions> & { readonly realTime?: boolean } = {},
): Promise<Served> {
  const clock = new TestClock();
  const logged: Served['logged'] = [];
  const log = (level: string) => (details: object, message: string) => void logged.push({ level, details, message });
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const { realTime, ...rest } = options;
  const list = Array.isArray(hub) ? (hub as SomeHub[]) : [hub as SomeHub];
  const hubs = createHubServer({ hubs: list, logger, ...(!realTime && { clock }), ...rest });
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => {
    if (!hubs.request(request, response)) response.writeHead(418).end();
  });
  http.on('upgrade', (request, socket, head) => {
    if (!hubs.upgrade(request, socket, head)) socket.end('HTTP/1.1 418 Teapot\r\n\r\n');
  });
  http.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    await hubs.close();
    for (const socket of sockets) socket.destroy();
    http.close();
  });
  return { hubs, clock, http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, sockets, logged };
}

/** A received message; the tests compare its fields. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Wire = Record<string, any>;

export interface RawOptions {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly handshake?: boolean;
}

/** A plain WebSocket with hand-made messages. */
export class Raw {
  readonly ws: WebSocket;
  readonly frames: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #messages: Wire[] = [];
  #waiting: ((message: Wire) => void)[] = [];

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data: RawData) => {
      const text = (data as Buffer).toString();
      this.frames.push(text);
      for (const part of text.split('\x1e')) if (part) this.#arrived(JSON.parse(part));
    });
    const { promise, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
    this.closed = promise;
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    ws.on('error', () => {});
  }

  static async connect(url: string, { headers = {}, query = '', handshake = true }: RawOptions = {}): Promise<Raw> {
    const ws = new WebSocket(url.replace('http', 'ws') + query, { headers });
    const raw = new Raw(ws);
    await once(ws, 'open');
    if (handshake) {
      raw.send({ protocol: 'json', version: 1 });
      await raw.next();
    }
    onTestFinished(() => ws.terminate());
    return raw;
  }

  #arrived(message: Wire): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(message);
    else this.#messages.push(message);
  }

  /** Returns the next message, including pings. */
  next(): Promise<Wire> {
    const message = this.#messages.shift();
    if (message) return Promise.resolve(message);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(...messages: Wire[]): void {
    this.ws.send(messages.map((message) => `${JSON.stringify(message)}\x1e`).join(''));
  }

  text(text: string): void {
    this.ws.send(text);
  }

  /** Writes each piece to the TCP socket separately. */
  async bytes(...pieces: readonly Buffer[]): Promise<void> {
    const { _socket: socket } = this.ws as unknown as { _socket: Socket };
    for (const piece of pieces) {
      socket.write(piece);
      await setTimeout(5);
    }
  }

  #calls = 0;
  /** Invokes and returns the next message, which is the completion when nothing else is pushed. */
  call(target: string, ...args: unknown[]): Promise<Wire> {
    this.send({ type: 1, invocationId: String(++this.#calls), target, arguments: args });
    return this.next();
  }
}

export async function negotiate(
  url: string,
  query = '?negotiateVersion=1',
  headers: Record<string, string> = {},
): Promise<Wire> {
  const response = await fetch(`${url}/negotiate${query}`, { method: 'POST', headers });
  return (await response.json()) as Wire;
}

/** Opens a raw connection with stateful reconnect and completes its handshake; `id` is its query, `again` reconnects. */
export async function stateful(url: string, version = 2): Promise<{ raw: Raw; id: string; again: () => Promise<Raw> }> {
  const answer = await negotiate(url, '?negotiateVersion=1&useStatefulReconnect=true');
  expect(answer.useStatefulReconnect).toBe(true);
  const id = `?id=${answer.connectionToken}`;
  const raw = await Raw.connect(url, { query: id, handshake: false });
  raw.send({ protocol: 'json', version });
  await raw.next();
  return { raw, id, again: () => Raw.connect(url, { query: id, handshake: false }) };
}

/** Returns the status line and body of a refused upgrade. */
export async function refusedUpgrade(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const ws = new WebSocket(url.replace('http', 'ws'), { headers });
  ws.on('error', () => {});
  const [, response] = await once(ws, 'unexpected-response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

/** A promise that the test resolves, for controlling a hub method. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, open: resolve };
}

/** Returns a seeded random number generator (mulberry32), so that failures can be reproduced. */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
