import type { ServerResponse } from 'node:http';
import type { Encoded } from '../protocol/encoded.ts';
import type { Connection } from '../session/connection.ts';
import type { PollingTransport } from '../session/transport.ts';
import { PostQueue } from './post-queue.ts';

const headers = {
  'Cache-Control': 'no-cache, no-store',
  Pragma: 'no-cache',
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
};
/** Waiting bytes beyond which the transport is congested. */
const maxBufferedBytes = 65_536;

interface Poll {
  readonly response: ServerResponse;
  readonly headers: object;
  readonly until: number;
}

/**
 * Long polling: each poll returns the waiting messages or is held until there are some (SPEC.md, P rules). The messages of a response
 * that could not be written are sent again with the next one.
 */
export class LongPollingTransport implements PollingTransport {
  readonly name = 'LongPolling';
  readonly binary = true;
  readonly posts: PostQueue;
  readonly #connection: Connection;
  #queue: Uint8Array[] = [];
  #poll: Poll | undefined;
  #lastSeen: number;
  #ended = false;
  #onDrain: (() => void)[] = [];
  buffered = 0;

  constructor(connection: Connection, response: ServerResponse, more: object) {
    this.#connection = connection;
    this.posts = new PostQueue(connection);
    this.#lastSeen = connection.host.clock.now();
    // The client waits for this first response before it sends the handshake.
    respond({ response, headers: more, until: 0 }, 200);
  }

  get congested(): boolean {
    return this.buffered > maxBufferedBytes;
  }

  /** Handles a poll. Returns false when it was the last one: the 204 has ended the connection for the client. */
  poll(response: ServerResponse, more: object): boolean {
    const { clock, timings } = this.#connection.host;
    if (this.#poll) respond(this.#poll, 204);
    const poll: Poll = { response, headers: more, until: clock.now() + timings.pollMs };
    this.#poll = poll;
    response.once('close', () => this.#onPollClosed(poll));
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
    // Messages that are sent synchronously go out in one response.
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
    this.posts.pause();
  }

  resume(): void {
    this.posts.resume();
  }

  /** Closes after the client has polled the remaining messages and received a 204. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.posts.resume();
    if (this.#poll && this.#queue.length === 0) return this.#release(this.#poll, 204);
    this.#connection.host.awaitLastPoll(this.#connection, this);
    this.#flush();
  }

  /** Closes immediately, also after the client's DELETE. */
  destroy(): void {
    this.#ended = true;
    this.#queue = [];
    this.buffered = 0;
    this.posts.resume();
    if (this.#poll) this.#release(this.#poll, 204);
  }

  #flush(): void {
    const poll = this.#poll;
    if (!poll || this.#queue.length === 0) return;
    const sent = this.#queue;
    this.#queue = [];
    this.buffered = 0;
    const { response } = poll;
    // The messages of a response that was not written are sent again.
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
    respond(poll, status, body);
  }

  /** The client has disconnected while its poll was held. */
  #onPollClosed(poll: Poll): void {
    if (this.#poll !== poll) return;
    this.#poll = undefined;
    this.#lastSeen = this.#connection.host.clock.now();
  }
}

function respond({ response, headers: more }: Poll, status: number, body?: Buffer): void {
  const hasBody = status !== 204;
  response.writeHead(status, {
    ...more,
    ...headers,
    ...(hasBody && { 'Content-Length': body?.length ?? 0 }),
    ...(body && { 'Content-Type': 'application/octet-stream' }),
  });
  response.end(body);
}
