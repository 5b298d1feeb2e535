import type { AppointmentFile } from '@roomside/contract/files/calls.ts';
import { maxFileBytes } from '@roomside/contract/limits.ts';
import { wordsFor } from '../../api/errors.ts';
import { formatBytes } from './format-bytes.ts';
import { texts } from './texts.ts';

/** A file on its way to the server. */
export interface FileUpload {
  key: string;
  name: string;
  /** Bytes. */
  size: number;
  state:
    | { status: 'waiting' }
    | { status: 'sending' /** 0 to 100. */; percent: number }
    /** The server has it; the list will. */
    | { status: 'done' }
    | { status: 'failed'; why: string; mayRetry: boolean };
}

interface Parts {
  /** Sends one file. */
  send: (file: File, onProgress: (percent: number) => void, signal: AbortSignal) => Promise<unknown>;
  /** A file has arrived: the list is read again. */
  onStored: () => void;
}

/** Uploads at the same time; more would only share the line. */
const maxAtOnce = 2;

/** The uploads of one appointment's files. They go on while other pages are shown. */
export class FileUploads {
  readonly #parts: Parts;
  #uploads: readonly FileUpload[] = [];
  readonly #files = new Map<string, File>();
  readonly #running = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();
  #nextKey = 1;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly get = (): readonly FileUpload[] => this.#uploads;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(files: Iterable<File>): void {
    for (const file of files) {
      const key = String(this.#nextKey++);
      const why = whyRefused(file);
      if (why === undefined) this.#files.set(key, file);
      const state =
        why === undefined ? ({ status: 'waiting' } as const) : ({ status: 'failed', why, mayRetry: false } as const);
      this.#set([...this.#uploads, { key, name: file.name, size: file.size, state }]);
    }
    this.#next();
  }

  retry(key: string): void {
    this.#mark(key, { status: 'waiting' });
    this.#next();
  }

  /** Cancels an upload, or removes a failed one from the list. */
  remove(key: string): void {
    this.#running.get(key)?.abort();
    this.#files.delete(key);
    this.#set(this.#uploads.filter((one) => one.key !== key));
  }

  cancelAll(): void {
    for (const { key } of this.#uploads) this.remove(key);
  }

  /** The list of the server has arrived: drops what it has. */
  settle(stored: readonly AppointmentFile[]): void {
    const left = unmatched(this.#uploads, stored);
    if (left.length < this.#uploads.length) this.#set(left);
  }

  #next(): void {
    for (const { key, state } of this.#uploads) {
      if (this.#running.size >= maxAtOnce) return;
      if (state.status === 'waiting' && !this.#running.has(key)) void this.#send(key);
    }
  }

  async #send(key: string): Promise<void> {
    const file = this.#files.get(key);
    if (!file) return;
    const control = new AbortController();
    this.#running.set(key, control);
    this.#mark(key, { status: 'sending', percent: 0 });
    try {
      await this.#parts.send(file, (percent) => this.#mark(key, { status: 'sending', percent }), control.signal);
      this.#files.delete(key);
      this.#mark(key, { status: 'done' });
      this.#parts.onStored();
    } catch (error) {
      if (!control.signal.aborted) this.#mark(key, { status: 'failed', why: wordsFor(error), mayRetry: true });
    }
    this.#running.delete(key);
    this.#next();
  }

  #mark(key: string, state: FileUpload['state']): void {
    this.#set(this.#uploads.map((one) => (one.key === key ? { ...one, state } : one)));
  }

  #set(uploads: readonly FileUpload[]): void {
    this.#uploads = uploads;
    for (const listener of [...this.#listeners]) listener();
  }
}

function whyRefused({ size }: File): string | undefined {
  if (size > maxFileBytes) return texts.tooLarge(formatBytes(maxFileBytes));
  return size === 0 ? texts.emptyFile : undefined;
}

/** STATE-26: the uploads that the server's list does not have: an upload that is done is matched with a file of its name and size. */
export function unmatched(uploads: readonly FileUpload[], stored: readonly AppointmentFile[]): FileUpload[] {
  const free = [...stored];
  return uploads.filter(({ name, size, state }) => {
    if (state.status !== 'done') return true;
    const at = free.findLastIndex((file) => file.name === name.trim() && file.size === size);
    if (at >= 0) free.splice(at, 1);
    return at < 0;
  });
}

/** How many uploads are not finished, and how much of their bytes is sent; undefined when there are none. */
export function progressOf(uploads: readonly FileUpload[]): { count: number; percent: number } | undefined {
  const open = uploads.filter(({ state }) => state.status === 'waiting' || state.status === 'sending');
  const total = open.reduce((sum, { size }) => sum + size, 0);
  if (open.length === 0 || total === 0) return undefined;
  const sent = open.reduce(
    (sum, { size, state }) => sum + (state.status === 'sending' ? (size * state.percent) / 100 : 0),
    0,
  );
  return { count: open.length, percent: Math.floor((sent / total) * 100) };
}
