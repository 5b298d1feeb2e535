import type { Completion } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { ClientChannel } from './client-channel.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Invocations of a client that wait for its result (SPEC.md, R rules). */
export class ClientResults {
  readonly #pending = new Map<string, Pending>();
  #last = 0;

  /** Invokes a method of the client. Rejects with the client's error, when it disconnects, and after `timeoutMs`. */
  invoke(connection: ClientChannel, method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
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

  /** Settles the invocation of a completion; unknown and late ones are ignored. */
  completed({ invocationId, error, result }: Completion): void {
    const pending = this.#settle(invocationId);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error));
  }

  /** Rejects all: the client has disconnected. */
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
