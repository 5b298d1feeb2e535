import { promiseOf } from './application-code.ts';
import type { Awaitable, BackplaneLink, Logger } from './types.ts';

/** The topics of one hub on the backplane. Failures of work that is not awaited are logged. */
export class Topics {
  readonly #path: string;
  readonly #link: BackplaneLink;
  readonly #logger: Logger;

  constructor(path: string, link: BackplaneLink, logger: Logger) {
    this.#path = path;
    this.#link = link;
    this.#logger = logger;
  }

  /** True while no other node is attached: messages then need not be encoded. */
  get isSingleNode(): boolean {
    return this.#link.isSingleNode;
  }

  /** Sends a message to the other nodes that subscribe to the topic. Never throws. */
  publish(name: string, data: Uint8Array): void {
    try {
      this.#logFailure(this.#link.publish(this.#topic(name), data));
    } catch (err) {
      this.#failed(err);
    }
  }

  /** Rejects when the backplane fails. */
  subscribe(name: string): Awaitable<void> {
    return this.#promiseOf(() => this.#link.subscribe(this.#topic(name)));
  }

  /** Rejects when the backplane fails. */
  unsubscribe(name: string): Awaitable<void> {
    return this.#promiseOf(() => this.#link.unsubscribe(this.#topic(name)));
  }

  /** Like `subscribe`, without waiting. */
  startSubscribing(name: string): void {
    this.#logFailure(this.subscribe(name));
  }

  /** Like `unsubscribe`, without waiting. */
  startUnsubscribing(name: string): void {
    this.#logFailure(this.unsubscribe(name));
  }

  #topic(name: string): string {
    return `${this.#path}|${name}`;
  }

  /** Returns the backplane's work as a promise, or undefined when it is done. Errors become rejections. */
  #promiseOf(work: () => Awaitable<void>): Promise<void> | undefined {
    try {
      return promiseOf(work());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #logFailure(work: Awaitable<void>): void {
    promiseOf(work)?.catch(this.#failed);
  }

  readonly #failed = (err: unknown): void => this.#logger.error({ err }, 'backplane failed');
}
