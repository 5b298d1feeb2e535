import { closeIterator, guardedAbortController } from '../application-code.ts';
import type { Invocation } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { turns } from '../turns.ts';
import { type ClientChannel, pauseReason } from './client-channel.ts';
import { explain } from './outcome.ts';
import { Upload } from './upload.ts';

/** Items of one stream before others get their turn. */
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
  get busy(): boolean {
    return this.size > 0;
  }

  get size(): number {
    return this.#downloads.size + this.#uploads.size;
  }

  has(id: string): boolean {
    return this.#downloads.has(id) || this.#uploads.has(id);
  }

  /** Opens the streams that an invocation announces. */
  receive(ids: readonly string[]): Upload[] {
    const onLevel = () =>
      this.#connection.pauseReading(
        pauseReason.uploads,
        [...this.#uploads.values()].some((upload) => upload.isFull),
      );
    return ids.map((id) => {
      const upload = new Upload(onLevel);
      this.#uploads.set(id, upload);
      return upload;
    });
  }

  /** The method has ended: what it has not read is dropped, and so is what may still come. */
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

  /** Returns whether the completion was that of an upload, which counts until its method has ended. */
  completed(id: string, error: string | undefined): boolean {
    const upload = this.#uploads.get(id);
    upload?.complete(error);
    return upload !== undefined;
  }

  /** Registers a stream to the client before its method is called, so that it can be cancelled in time. */
  send(message: Invocation, onEnd: () => void): Download {
    const id = message.invocationId as string;
    const download = new Download(this.#connection, message.target, id, () => {
      this.#downloads.delete(id);
      onEnd();
    });
    this.#downloads.set(id, download);
    return download;
  }

  cancel(id: string): void {
    this.#downloads.get(id)?.cancel();
  }

  /** The client is gone: nothing is sent to it, and nothing more comes. */
  abandon(): void {
    // In this order: the end of a stream would end those that it reads, as if they were complete.
    for (const upload of this.#uploads.values()) upload.abandon();
    for (const download of this.#downloads.values()) download.cancel();
  }
}

/** A stream to the client: from its invocation to its completion, of which there is exactly one. */
export class Download {
  readonly #connection: ClientChannel;
  readonly #target: string;
  readonly #id: string;
  readonly #onEnd: () => void;
  #abortion: AbortController | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #isOver = false;

  constructor(connection: ClientChannel, target: string, id: string, onEnd: () => void) {
    this.#connection = connection;
    this.#target = target;
    this.#id = id;
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly signal = (): AbortSignal => {
    this.#abortion ??= guardedAbortController(this.#connection.abortFailed);
    if (this.#isOver) this.#abortion.abort();
    return this.#abortion.signal;
  };

  /** Sends what the method yields, as fast as the client takes it. */
  async pump(items: AsyncIterable<unknown>): Promise<void> {
    try {
      let turn = 0;
      const iterator = items[Symbol.asyncIterator]();
      this.#iterator = iterator;
      // Cancelled while the method was getting ready: it never starts.
      if (this.#isOver) return closeIterator(iterator);
      if (turns.spend()) await turns.wait();
      for (;;) {
        const step = await iterator.next();
        if (this.#isOver) return;
        if (step.done) return this.#end(undefined);
        // A client takes an item that is missing for a broken connection.
        this.#connection.sendMessage({ type: 2, invocationId: this.#id, item: step.value ?? null });
        const writable = this.#connection.writable();
        if (writable) await writable;
        // Methods that never wait must not keep everybody else waiting.
        if (++turn % batchSize === 0 || turns.spend()) await turns.wait();
      }
    } catch (error) {
      this.fail(error, texts.streamFailed);
      // A generator that has thrown is over; this is for what could not be encoded.
      this.#stop();
    }
  }

  /** Ends with an error, of which the client learns what it may. */
  fail(error: unknown, text: string): void {
    if (this.#isOver) return;
    const { host } = this.#connection;
    host.counters.failures++;
    const details = { connectionId: this.#connection.id, target: this.#target.slice(0, 100), err: error };
    host.logger.error(details, 'stream failed');
    this.#end(explain(this.#connection, text, error));
  }

  /** Ends with this error as it stands. */
  refuse(error: string): void {
    this.#end(error);
  }

  /** The client wants no more of it. It is answered at once; the method is told by its signal and by `return`. */
  cancel(): void {
    if (this.#isOver) return;
    this.#end(undefined);
    this.#stop();
  }

  #stop(): void {
    this.#abortion?.abort();
    // A generator that is busy ends at its next step; whatever it throws by then concerns nobody.
    closeIterator(this.#iterator);
  }

  #end(error: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.respond({ type: 3, invocationId: this.#id, ...(error !== undefined && { error }) });
    this.#onEnd();
  }
}
