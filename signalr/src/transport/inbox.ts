import type { IncomingMessage } from 'node:http';
import { receive } from '../session/receive.ts';
import type { Connection } from './connection.ts';

export type Posted = 'accepted' | 'aborted' | 'too-large' | 'gone';

/** What a client sends by POST, handled in the order in which the requests began. */
export class Inbox {
  readonly #connection: Connection;
  #tail: Promise<unknown> = Promise.resolve();
  #isPaused = false;
  #onResume: (() => void)[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves when the bytes are accepted, which is not when the methods they call have run. */
  post(request: IncomingMessage, maxBytes: number): Promise<Posted> {
    const turn = this.#tail.then(async () => {
      // Read only now: any number of waiting requests costs no memory.
      const data = await readBody(request, maxBytes);
      while (this.#isPaused) await new Promise<void>((resolve) => this.#onResume.push(resolve));
      if (typeof data === 'string') return data;
      if (this.#connection.state === 'disposed') return 'gone';
      receive(this.#connection, data);
      return 'accepted';
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const resolve of this.#onResume.splice(0)) resolve();
  }
}

/** The whole body; what comes beyond `maxBytes` is not kept. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'aborted' | 'too-large'> {
  return new Promise((resolve) => {
    if (request.destroyed) return resolve('aborted');
    let chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      chunks = [];
      resolve('too-large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks, length)));
    request.on('error', () => {});
    request.on('close', () => resolve('aborted'));
  });
}
