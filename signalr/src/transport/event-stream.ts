import type { ServerResponse } from 'node:http';
import type { Encoded } from '../protocol/encoded.ts';
import type { Connection } from '../session/connection.ts';
import type { Transport } from '../session/transport.ts';
import { PostQueue } from './post-queue.ts';

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-store, no-transform',
  Pragma: 'no-cache',
  'Content-Encoding': 'identity',
  // Disables nginx's response buffering.
  'X-Accel-Buffering': 'no',
};

/** How long after the stream's end the client's Close message may arrive, ms. */
const goodbyeMs = 250;
/** How long the client may take to read the remaining messages, ms. */
const closeTimeoutMs = 5_000;

/** Server-sent events to the client; the client sends by POST (SPEC.md, V rules). */
export class EventStreamTransport implements Transport {
  readonly name = 'ServerSentEvents';
  readonly binary = false;
  readonly posts: PostQueue;
  readonly #response: ServerResponse;

  constructor(connection: Connection, response: ServerResponse, more: object) {
    this.#response = response;
    this.posts = new PostQueue(connection);
    response.writeHead(200, { ...more, ...headers });
    // Firefox opens an event stream only after the first bytes.
    response.write(':\r\n\r\n');
    response.on('error', () => {});
    // The client's Close message arrives by POST on another TCP connection, before or after the end of the stream.
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
    this.posts.pause();
  }

  resume(): void {
    this.posts.resume();
  }

  close(): void {
    this.posts.resume();
    this.#response.end();
    // A client that does not read would keep the response open.
    setTimeout(() => this.#response.destroy(), closeTimeoutMs).unref();
  }

  destroy(): void {
    this.posts.resume();
    this.#response.destroy();
  }
}

/** Returns one event. Each line of the text is one `data` line; the client joins them. */
function event(data: string | Uint8Array): string {
  const text = typeof data === 'string' ? data : Buffer.from(data).toString();
  return `${text
    .split('\n')
    .map((line) => `data: ${line.replace(/\r$/, '')}\r\n`)
    .join('')}\r\n`;
}
