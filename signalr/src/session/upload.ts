import { HubError } from '../hub.ts';
import { texts } from '../protocol/texts.ts';

/** Items that wait for the method before the client is no longer read. */
const buffered = 10;

/** A stream from a client, as its method reads it. */
export class Upload implements AsyncIterableIterator<unknown> {
  #items: unknown[] = [];
  #error: Error | undefined;
  #isOver = false;
  #readers: { resolve: (step: IteratorResult<unknown>) => void; reject: (error: Error) => void }[] = [];
  readonly #onLevel: () => void;

  /** `onLevel` is called whenever `isFull` may have changed. */
  constructor(onLevel: () => void) {
    this.#onLevel = onLevel;
  }

  get isFull(): boolean {
    return this.#items.length >= buffered;
  }

  push(item: unknown): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader) return reader.resolve({ done: false, value: item });
    this.#items.push(item);
    if (this.isFull) this.#onLevel();
  }

  /** The client has finished, with or without an error. What has come before it can still be read. */
  complete(error?: string): void {
    this.#finish(error === undefined ? undefined : new HubError(error));
  }

  /** The client is gone. */
  abandon(): void {
    this.#finish(new Error(texts.clientGone));
  }

  #finish(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    for (const reader of this.#readers.splice(0)) {
      if (this.#error) reader.reject(this.#takeError());
      else reader.resolve({ done: true, value: undefined });
    }
  }

  /** An error is thrown once; afterwards the stream is at its end. */
  #takeError(): Error {
    const error = this.#error as Error;
    this.#error = undefined;
    return error;
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#items.length > 0) {
      const value = this.#items.shift();
      this.#onLevel();
      return Promise.resolve({ done: false, value });
    }
    if (this.#error) return Promise.reject(this.#takeError());
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Whoever stops reading gets nothing more. */
  return(): Promise<IteratorResult<unknown>> {
    this.#items = [];
    this.#error = undefined;
    this.#finish(undefined);
    this.#onLevel();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
