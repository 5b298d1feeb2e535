import type { IncomingMessage } from 'node:http';
import type { Connection } from '../session/connection.ts';
import { receive } from '../session/receive.ts';
import type { RequestBodies } from '../session/transport.ts';

/** The outcome of a POST. `gone`: the connection has ended; `late`: the body did not arrive in time. */
export type Posted = 'accepted' | 'aborted' | 'too-large' | 'gone' | 'late';

/** The body that is being read. */
interface Reading {
  readonly until: number;
  readonly stop: (why: 'gone' | 'late') => void;
}

/** The client's POST requests, handled in the order in which they began. */
export class PostQueue implements RequestBodies {
  readonly #connection: Connection;
  #tail: Promise<unknown> = Promise.resolve();
  #isPaused = false;
  #onResume: (() => void)[] = [];
  #reading: Reading | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves when the body is accepted; the methods that it calls may still run. */
  post(request: IncomingMessage, maxBytes: number): Promise<Posted> {
    const turn = this.#tail.then(async () => {
      if (this.#isGone) return 'gone';
      // Read only now, so that waiting requests need no memory for their bodies.
      const data = await this.#read(request, maxBytes);
      while (this.#isPaused && !this.#isGone) await new Promise<void>((resolve) => this.#onResume.push(resolve));
      if (typeof data === 'string') return data;
      if (this.#isGone) return 'gone';
      this.#connection.inbound.burst = 0;
      receive(this.#connection, data);
      return 'accepted';
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }

  get #isGone(): boolean {
    return this.#connection.state.kind === 'disposed';
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#onResume.splice(0)) resolve();
  }

  /** The connection has ended: gives up an incomplete body. */
  end(): void {
    this.#reading?.stop('gone');
    this.resume();
  }

  /** Called once a second: gives up a body that takes too long. */
  tick(now: number): void {
    if (this.#reading && now >= this.#reading.until) this.#reading.stop('late');
  }

  /** Reads the body, up to `maxBytes`. */
  #read(request: IncomingMessage, maxBytes: number): Promise<Buffer | Posted> {
    return new Promise((resolve) => {
      if (request.destroyed) return resolve('aborted');
      const { clock, timings } = this.#connection.host;
      let chunks: Buffer[] = [];
      let length = 0;
      const end = (outcome: Buffer | Posted) => {
        if (this.#reading === reading) this.#reading = undefined;
        chunks = [];
        resolve(outcome);
      };
      const reading: Reading = { until: clock.now() + timings.postMs, stop: end };
      this.#reading = reading;
      request.on('data', (chunk: Buffer) => {
        if (this.#reading !== reading) return;
        length += chunk.length;
        if (length <= maxBytes) chunks.push(chunk);
        else end('too-large');
      });
      request.on('end', () => end(Buffer.concat(chunks)));
      request.on('error', () => {});
      request.on('close', () => end('aborted'));
    });
  }
}
