import { closeIterator, safeAbortController } from '../application-code.ts';
import type { Invocation } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { scheduler } from '../scheduler.ts';
import { type ClientChannel, pauseReason } from './client-channel.ts';
import { withErrorDetail } from './outcome.ts';
import { Upload } from './upload.ts';

/** The maximum number of items that one stream sends in one turn. */
const batchSize = 64;

/** The open streams of a connection, in both directions (SPEC.md, T rules). */
export class Streams {
  readonly #connection: ClientChannel;
  readonly #downloads = new Map<string, Download>();
  readonly #uploads = new Map<string, Upload>();

  constructor(connection: ClientChannel) {
    this.#connection = connection;
  }

  /** Whether a method still sends or reads a stream. */
  get isBusy(): boolean {
    return this.size > 0;
  }

  get size(): number {
    return this.#downloads.size + this.#uploads.size;
  }

  has(id: string): boolean {
    return this.#downloads.has(id) || this.#uploads.has(id);
  }

  /** Opens the uploads of an invocation. */
  receive(ids: readonly string[]): Upload[] {
    const onFullChange = () =>
      this.#connection.pauseReading(
        pauseReason.uploads,
        [...this.#uploads.values()].some((upload) => upload.isFull),
      );
    return ids.map((id) => {
      const upload = new Upload(onFullChange);
      this.#uploads.set(id, upload);
      return upload;
    });
  }

  /** Closes uploads after their method has ended; unread and later items are dropped. */
  close(ids: readonly string[]): void {
    for (const id of ids) {
      const upload = this.#uploads.get(id);
      this.#uploads.delete(id);
      void upload?.return();
    }
  }

  item(id: string, item: unknown): void {
    this.#uploads.get(id)?.push(item);
  }

  /** Returns whether the completion belongs to an upload. The upload stays open until its method has ended. */
  completed(id: string, error: string | undefined): boolean {
    const upload = this.#uploads.get(id);
    upload?.complete(error);
    return upload !== undefined;
  }

  /** Registers a stream to the client before its method is called, so that it can already be cancelled. */
  send(message: Invocation, onEnd: (failed: boolean) => void): Download {
    const id = message.invocationId as string;
    const download = new Download(this.#connection, message.target, id, (failed) => {
      this.#downloads.delete(id);
      onEnd(failed);
    });
    this.#downloads.set(id, download);
    return download;
  }

  cancel(id: string): void {
    this.#downloads.get(id)?.cancel();
  }

  /** Ends all streams: the client has disconnected. */
  abandon(): void {
    // Uploads first: ending a download closes the uploads that it reads as if they were complete.
    for (const upload of this.#uploads.values()) upload.abandon();
    for (const download of this.#downloads.values()) download.cancel();
  }
}

/** A stream to the client, from its invocation to its only completion. */
export class Download {
  readonly #connection: ClientChannel;
  readonly #target: string;
  readonly #id: string;
  readonly #onEnd: (failed: boolean) => void;
  #abortController: AbortController | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #isOver = false;

  constructor(connection: ClientChannel, target: string, id: string, onEnd: (failed: boolean) => void) {
    this.#connection = connection;
    this.#target = target;
    this.#id = id;
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly signal = (): AbortSignal => {
    this.#abortController ??= safeAbortController(this.#connection.abortFailed);
    if (this.#isOver) this.#abortController.abort();
    return this.#abortController.signal;
  };

  /** Sends the method's items with back-pressure: it waits while the client does not read. */
  async pump(items: AsyncIterable<unknown>): Promise<void> {
    try {
      let turn = 0;
      const iterator = items[Symbol.asyncIterator]();
      this.#iterator = iterator;
      // Cancelled before the first item: the method is not started.
      if (this.#isOver) return closeIterator(iterator);
      if (scheduler.shouldYield()) await scheduler.nextTurn();
      for (;;) {
        const step = await iterator.next();
        if (this.#isOver) return;
        if (step.done) return this.#end(undefined);
        // The client treats a missing item as a protocol violation.
        this.#connection.sendMessage({ type: 2, invocationId: this.#id, item: step.value ?? null });
        const writable = this.#connection.writable();
        if (writable) await writable;
        // A method that never waits must not block the event loop.
        if (++turn % batchSize === 0 || scheduler.shouldYield()) await scheduler.nextTurn();
      }
    } catch (error) {
      this.fail(error, texts.streamFailed);
      // For an item that could not be encoded: the generator is still running.
      this.#stop();
    }
  }

  /** Logs an error and ends the stream with the error text for the client. */
  fail(error: unknown, text: string): void {
    if (this.#isOver) return;
    const { host } = this.#connection;
    host.counters.failures++;
    const details = { connectionId: this.#connection.id, target: this.#target.slice(0, 100), err: error };
    host.logger.error(details, 'stream failed');
    this.#end(withErrorDetail(this.#connection, text, error));
  }

  /** Ends the stream with this error text unchanged. */
  refuse(error: string): void {
    this.#end(error);
  }

  /** Cancels the stream. The completion is sent immediately; the method's signal is aborted and its iterator closed. */
  cancel(): void {
    if (this.#isOver) return;
    this.#end(undefined);
    this.#stop();
  }

  #stop(): void {
    this.#abortController?.abort();
    // A running generator ends at its next step; its errors are ignored.
    closeIterator(this.#iterator);
  }

  #end(error: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.respond({ type: 3, invocationId: this.#id, ...(error !== undefined && { error }) });
    this.#onEnd(error !== undefined);
  }
}
