import type { Awaitable } from '../types.ts';

/** Why a request failed: the error messages for the caller of {@link BackplaneLink.request}. */
export const failure = {
  down: 'The backplane is down.',
  absent: 'No such process.',
  late: 'No answer in time.',
} as const;

interface Pending {
  readonly resolve: (answer: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Pending requests by number. Each ends once: by its response, a failure, its timeout or {@link Requests.failAll}. */
export class Requests {
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  /** Registers a request. `id` fits in 32 bits. */
  open(timeoutMs: number): { readonly id: number; readonly answer: Promise<Uint8Array> } {
    this.#last = (this.#last + 1) >>> 0;
    const id = this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#pending.set(id, { resolve, reject, timer: setTimeout(() => this.fail(id, failure.late), timeoutMs) });
    return { id, answer: promise };
  }

  /** Runs a request within this process. Errors that `handle` throws become rejections. */
  run(timeoutMs: number, handle: () => Awaitable<Uint8Array>): Promise<Uint8Array> {
    const { id, answer } = this.open(timeoutMs);
    (async () => handle())().then(
      (own) => this.succeed(id, own),
      (error: unknown) => this.fail(id, reasonOf(error)),
    );
    return answer;
  }

  succeed(id: number, answer: Uint8Array): void {
    this.#take(id)?.resolve(answer);
  }

  fail(id: number, reason: string): void {
    this.#take(id)?.reject(new Error(reason));
  }

  failAll(reason: string): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, reason);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    return pending;
  }
}

/** Returns the error text that is sent to the requesting node. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
