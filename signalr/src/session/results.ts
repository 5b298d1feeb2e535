import type { Completion } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { ClientChannel } from './client-channel.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** The questions that a client has yet to answer (SPEC.md, R rules). */
export class Results {
  readonly #pending = new Map<string, Pending>();
  #last = 0;

  /** Asks the client and waits. Rejects with the client's error, when it goes, and after `timeoutMs`. */
  ask(connection: ClientChannel, method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    const invocationId = `s${++this.#last}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => this.#settle(invocationId)?.reject(new Error(texts.noAnswer(timeoutMs))), timeoutMs);
    timer.unref();
    this.#pending.set(invocationId, { resolve, reject, timer });
    try {
      connection.sendMessage({ type: 1, invocationId, target: method, arguments: args });
    } catch (error) {
      this.#settle(invocationId)?.reject(error as Error);
    }
    return promise;
  }

  /** An answer. Those that nobody waits for (any more) are ignored. */
  completed({ invocationId, error, result }: Completion): void {
    const pending = this.#settle(invocationId);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error));
  }

  /** The client has gone. */
  abandon(): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new Error(texts.clientGone));
  }

  #settle(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}
