import { setTimeout as pause } from 'node:timers/promises';
import { retryDelay } from '../../web/src/hub/connect.ts';
import { dial, type Opened, openSignalR } from './clients.ts';
import type { RawSocket } from './raw-socket.ts';

/** Clients that reconnect as the product's do: the same requests after the same delays, without random ones. */
export class Storm {
  readonly #port: number;
  readonly #count: number;
  readonly #stateful: boolean;
  #up = 0;
  #attempts = 0;
  #back = 0;
  #backAt: number[] = [];
  readonly #allUp = Promise.withResolvers<void>();
  readonly #allBack = Promise.withResolvers<void>();
  #over = false;
  readonly #sockets = new Set<RawSocket>();

  constructor(port: number, count: number, stateful: boolean) {
    this.#port = port;
    this.#count = count;
    this.#stateful = stateful;
  }

  /** Resolves when all clients are connected. */
  async start(): Promise<void> {
    const batchSize = 100;
    for (let from = 0; from < this.#count; from += batchSize) {
      const opened = Array.from({ length: Math.min(batchSize, this.#count - from) }, async (_, index) => {
        const client = from + index;
        void this.#runClient(client, await this.#open(client));
      });
      await Promise.all(opened);
    }
    return this.#allUp.promise;
  }

  /** Resolves when all clients have reconnected: the number of attempts, and when half and all were back (epoch ms). */
  async back(): Promise<{ attempts: number; halfAt: number; allAt: number }> {
    await this.#allBack.promise;
    const times = this.#backAt.toSorted((a, b) => a - b);
    return {
      attempts: this.#attempts,
      halfAt: times[Math.floor(times.length / 2)] ?? Number.NaN,
      allAt: times.at(-1) ?? Number.NaN,
    };
  }

  end(): void {
    this.#over = true;
    for (const socket of this.#sockets) socket.terminate();
  }

  #open(client: number): Promise<Opened> {
    const room = `room-${Math.floor(client / 2)}`;
    return openSignalR({ port: this.#port, room, user: `user-${client}` }, this.#stateful);
  }

  async #runClient(client: number, first: Opened): Promise<void> {
    this.#up += 1;
    if (this.#up === this.#count) this.#allUp.resolve();
    for (let opened = first; !this.#over; ) {
      const { socket, resume } = opened;
      this.#sockets.add(socket);
      await socket.closed;
      this.#sockets.delete(socket);
      if (this.#over) return;
      opened = await this.#reconnect(client, resume);
      this.#back += 1;
      this.#backAt.push(Date.now());
      if (this.#back === this.#count) this.#allBack.resolve();
    }
  }

  async #reconnect(client: number, resume: string | undefined): Promise<Opened> {
    if (resume !== undefined) {
      // The client tries to resume once, immediately; the server that held the connection is gone.
      this.#attempts += 1;
      const socket = await dial(resume).catch(() => undefined);
      if (socket) return { socket, resume };
    }
    for (let retries = 0; ; retries += 1) {
      await pause(retryDelay(retries));
      this.#attempts += 1;
      try {
        return await this.#open(client);
      } catch {
        // The server is not listening yet or is overloaded; the next attempt follows.
      }
    }
  }
}
