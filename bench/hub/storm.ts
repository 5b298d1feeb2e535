import { setTimeout as pause } from 'node:timers/promises';
import { retryDelay } from '../../web/src/hub/connect.ts';
import { dial, type Opened, openSignalR } from './clients.ts';
import type { Line } from './line.ts';

/** Clients that come back by themselves as the product's do: the same requests after the same delays, none of them random. */
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
  readonly #lines = new Set<Line>();

  constructor(port: number, count: number, stateful: boolean) {
    this.#port = port;
    this.#count = count;
    this.#stateful = stateful;
  }

  /** Resolves when all are connected for the first time. */
  async start(): Promise<void> {
    const atOnce = 100;
    for (let from = 0; from < this.#count; from += atOnce) {
      const opened = Array.from({ length: Math.min(atOnce, this.#count - from) }, async (_, index) => {
        const client = from + index;
        void this.#live(client, await this.#open(client));
      });
      await Promise.all(opened);
    }
    return this.#allUp.promise;
  }

  /** Resolves when all have lost their connection and have a new one: attempts, and when half were back (epoch ms). */
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
    for (const line of this.#lines) line.terminate();
  }

  #open(client: number): Promise<Opened> {
    const room = `room-${Math.floor(client / 2)}`;
    return openSignalR({ port: this.#port, room, user: `user-${client}` }, this.#stateful);
  }

  async #live(client: number, first: Opened): Promise<void> {
    this.#up += 1;
    if (this.#up === this.#count) this.#allUp.resolve();
    for (let opened = first; !this.#over; ) {
      const { line, resume } = opened;
      this.#lines.add(line);
      await line.closed;
      this.#lines.delete(line);
      if (this.#over) return;
      opened = await this.#reconnect(client, resume);
      this.#back += 1;
      this.#backAt.push(Date.now());
      if (this.#back === this.#count) this.#allBack.resolve();
    }
  }

  async #reconnect(client: number, resume: string | undefined): Promise<Opened> {
    if (resume !== undefined) {
      // The client tries the old connection once, at once; the server that knew it is gone.
      this.#attempts += 1;
      const line = await dial(resume).catch(() => undefined);
      if (line) return { line, resume };
    }
    for (let retries = 0; ; retries += 1) {
      await pause(retryDelay(retries));
      this.#attempts += 1;
      try {
        return await this.#open(client);
      } catch {
        // Not there yet, or overrun: next time.
      }
    }
  }
}
