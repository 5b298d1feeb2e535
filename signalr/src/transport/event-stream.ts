import type { ServerResponse } from 'node:http';
import type { Encoded } from '../protocol/encoded.ts';
import type { Connection } from '../session/connection.ts';
import type { Transport } from '../session/transport.ts';
import { Inbox } from './inbox.ts';

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-store, no-transform',
  Pragma: 'no-cache',
  'Content-Encoding': 'identity',
  // nginx would otherwise collect what should go out at once.
  'X-Accel-Buffering': 'no',
};

/** How much later than the stream's end the client's goodbye may come. */
const goodbyeMs = 250;
/** How long the client may take for what is left. */
const closeTimeoutMs = 5_000;

/** Server-sent events towards the client; it answers by POST (SPEC.md, V rules). */
export class EventStreamTransport implements Transport {
  readonly name = 'ServerSentEvents';
  readonly binary = false;
  readonly inbox: Inbox;
  readonly #response: ServerResponse;

  constructor(connection: Connection, response: ServerResponse, more: object) {
    this.#response = response;
    this.inbox = new Inbox(connection);
    response.writeHead(200, { ...more, ...headers });
    // Firefox opens an event stream only once something has come.
    response.write(':\r\n\r\n');
    response.on('error', () => {});
    // Nobody says goodbye by ending it: the client's Close comes by POST, on another line.
    response.once('close', () => setTimeout(() => connection.transportEnded(this, 'lost'), goodbyeMs).unref());
  }

  get buffered(): number {
    return this.#response.writableLength;
  }

  get congested(): boolean {
    return this.#response.writableNeedDrain;
  }

  send(encoded: Encoded): void {
    if (this.#response.writableEnded) return;
    encoded.event ??= event(encoded.data);
    this.#response.write(encoded.event);
  }

  onDrain(callback: () => void): void {
    this.#response.once('drain', callback);
  }

  pause(): void {
    this.inbox.pause();
  }

  resume(): void {
    this.inbox.resume();
  }

  close(): void {
    this.inbox.resume();
    this.#response.end();
    // Of a client that has stopped reading the end would never go out.
    setTimeout(() => this.#response.destroy(), closeTimeoutMs).unref();
  }

  destroy(): void {
    this.inbox.resume();
    this.#response.destroy();
  }
}

/** One event; text with line breaks becomes several `data` lines, which the client joins again. */
function event(data: string | Uint8Array): string {
  const text = typeof data === 'string' ? data : Buffer.from(data).toString();
  return `${text
    .split('\n')
    .map((line) => `data: ${line.replace(/\r$/, '')}\r\n`)
    .join('')}\r\n`;
}
