import type { ServerResponse } from 'node:http';
import type { Encoded } from '../protocol/encoded.ts';
import type { Connection } from '../session/connection.ts';
import type { PollingTransport } from '../session/transport.ts';
import { Inbox } from './inbox.ts';

const headers = {
  'Cache-Control': 'no-cache, no-store',
  Pragma: 'no-cache',
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
};
/** Waiting bytes beyond which those who can wait do. */
const enough = 65_536;

interface Poll {
  readonly response: ServerResponse;
  readonly headers: object;
  readonly until: number;
}

/**
 * The client asks again and again and gets what is there, or waits for it (SPEC.md, P rules). What an answer carried whose line broke
 * goes out again with the next.
 */
export class LongPollingTransport implements PollingTransport {
  readonly name = 'LongPolling';
  readonly binary = true;
  readonly inbox: Inbox;
  readonly #connection: Connection;
  #queue: Uint8Array[] = [];
  #poll: Poll | undefined;
  #lastSeen: number;
  #ended = false;
  #onDrain: (() => void)[] = [];
  buffered = 0;

  constructor(connection: Connection, response: ServerResponse, more: object) {
    this.#connection = connection;
    this.inbox = new Inbox(connection);
    this.#lastSeen = connection.host.clock.now();
    // The client waits for this first answer before it sends the handshake.
    answer({ response, headers: more, until: 0 }, 200);
  }

  get congested(): boolean {
    return this.buffered > enough;
  }

  /** A poll. Returns false when it was the last: the client has been told that it is over. */
  poll(response: ServerResponse, more: object): boolean {
    const { clock, timings } = this.#connection.host;
    if (this.#poll) answer(this.#poll, 204);
    const poll: Poll = { response, headers: more, until: clock.now() + timings.pollMs };
    this.#poll = poll;
    response.once('close', () => this.#gone(poll));
    if (this.#queue.length > 0) this.#flush();
    else if (this.#ended) {
      this.#release(poll, 204);
      return false;
    }
    return true;
  }

  send(encoded: Encoded): void {
    if (this.#ended) return;
    const data = typeof encoded.data === 'string' ? Buffer.from(encoded.data) : encoded.data;
    this.#queue.push(data);
    this.buffered += data.length;
    // What is sent in one go travels in one answer.
    if (this.#poll && this.#queue.length === 1) queueMicrotask(() => this.#flush());
  }

  onDrain(callback: () => void): void {
    this.#onDrain.push(callback);
  }

  tick(now: number): void {
    const { timings } = this.#connection.host;
    if (this.#poll) {
      if (now >= this.#poll.until) this.#release(this.#poll, 200);
    } else if (now - this.#lastSeen >= timings.pollGapMs) {
      this.#connection.transportEnded(this, 'lost');
    }
  }

  pause(): void {
    this.inbox.pause();
  }

  resume(): void {
    this.inbox.resume();
  }

  /** Ends once the client has fetched what is left and has been told that it is over. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.inbox.resume();
    if (this.#poll && this.#queue.length === 0) return this.#release(this.#poll, 204);
    this.#connection.host.leaving(this.#connection, this);
    this.#flush();
  }

  /** Also for a client that has said goodbye by DELETE. */
  destroy(): void {
    this.#ended = true;
    this.#queue = [];
    this.buffered = 0;
    this.inbox.resume();
    if (this.#poll) this.#release(this.#poll, 204);
  }

  #flush(): void {
    const poll = this.#poll;
    if (!poll || this.#queue.length === 0) return;
    const sent = this.#queue;
    this.#queue = [];
    this.buffered = 0;
    const { response } = poll;
    // An answer whose line broke before it was written goes out again.
    response.once('close', () => {
      if (response.writableFinished) return;
      this.#queue = [...sent, ...this.#queue];
      for (const data of sent) this.buffered += data.length;
      if (this.#poll) this.#flush();
    });
    this.#release(poll, 200, Buffer.concat(sent));
    for (const callback of this.#onDrain.splice(0)) callback();
  }

  #release(poll: Poll, status: number, body?: Buffer): void {
    this.#lastSeen = this.#connection.host.clock.now();
    if (this.#poll === poll) this.#poll = undefined;
    answer(poll, status, body);
  }

  /** The line of a poll broke while it waited. */
  #gone(poll: Poll): void {
    if (this.#poll !== poll) return;
    this.#poll = undefined;
    this.#lastSeen = this.#connection.host.clock.now();
  }
}

function answer({ response, headers: more }: Poll, status: number, body?: Buffer): void {
  const hasBody = status !== 204;
  response.writeHead(status, {
    ...more,
    ...headers,
    ...(hasBody && { 'Content-Length': body?.length ?? 0 }),
    ...(body && { 'Content-Type': 'application/octet-stream' }),
  });
  response.end(body);
}
