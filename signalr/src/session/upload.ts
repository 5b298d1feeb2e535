import { HubError } from '../hub.ts';
import { texts } from '../protocol/texts.ts';

/** The number of unread items at which reading from the client pauses. */
const maxBufferedItems = 10;

/** A stream from a client, read by its method. */
export class Upload implements AsyncIterableIterator<unknown> {
  #items: unknown[] = [];
  #error: Error | undefined;
  #isOver = false;
  #readers: { resolve: (step: IteratorResult<unknown>) => void; reject: (error: Error) => void }[] = [];
  readonly #onFullChange: () => void;

  /** `onFullChange` is called whenever `isFull` may have changed. */
  constructor(onFullChange: () => void) {
    this.#onFullChange = onFullChange;
  }

  get isFull(): boolean {
    return this.#items.length >= maxBufferedItems;
  }

  push(item: unknown): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader) return reader.resolve({ done: false, value: item });
    this.#items.push(item);
    if (this.isFull) this.#onFullChange();
  }

  /** The client has completed the stream, with or without an error. Items received before it can still be read. */
  complete(error?: string): void {
    this.#finish(error === undefined ? undefined : new HubError(error));
  }

  /** The client has disconnected. */
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

  /** Returns the error once; afterwards the stream has ended. */
  #takeError(): Error {
    const error = this.#error as Error;
    this.#error = undefined;
    return error;
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#items.length > 0) {
      const value = this.#items.shift();
      this.#onFullChange();
      return Promise.resolve({ done: false, value });
    }
    if (this.#error) return Promise.reject(this.#takeError());
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Ends the stream early and drops unread items. */
  return(): Promise<IteratorResult<unknown>> {
    this.#items = [];
    this.#error = undefined;
    this.#finish(undefined);
    this.#onFullChange();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
