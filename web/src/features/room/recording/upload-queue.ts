import { ProblemError } from '../../../api/problem.ts';
import type { Clock } from '../core/clock.ts';
import { createStore, type Store } from '../core/store.ts';
import type { Segment, SegmentStore } from './segment-store.ts';
import { UnreadableSegment } from './unreadable-segment.ts';

export interface QueueView {
  /** waiting: the visit needs the connection; retrying: the last try failed, and another one follows. */
  status: 'idle' | 'uploading' | 'waiting' | 'retrying';
  /** Segments that are not confirmed. */
  left: number;
  /** Bytes since the queue was last empty. */
  sent: number;
  total: number;
}

/** A segment was confirmed, or set aside for good. */
interface QueueEvent {
  readonly segment: Segment;
  readonly refused: Error | null;
  /** Segments that are not confirmed yet. */
  readonly left: number;
}

interface Parts {
  readonly store: Pick<SegmentStore, 'list' | 'remove' | 'refuse'>;
  /** The user whose segments may be uploaded; undefined without a sign-in. */
  readonly owner: () => string | undefined;
  readonly upload: (segment: Segment, onProgress: (sent: number) => void) => Promise<void>;
  readonly clock: Clock;
}

/** Delays before further tries, ms; the last one repeats. */
const retryDelaysMs = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
/** Refusals that another try may not meet. Any other one is final. */
const passing: ReadonlySet<number> = new Set([401, 408, 429, 500, 502, 503, 504]);

/** Why another try would fail too; undefined when it may not. */
function finalCode(error: unknown): string | undefined {
  if (error instanceof UnreadableSegment) return 'unreadable';
  const isFinal = error instanceof ProblemError && !passing.has(error.status) && error.code !== 'cut-off';
  return isFinal ? error.code : undefined;
}

const idle: QueueView = { status: 'idle', left: 0, sent: 0, total: 0 };

/**
 * Uploads the finished segments of this page one after another, oldest first (STATE-18), and deletes each from the device when
 * the server has confirmed it. Failed tries are repeated. A segment that is refused, or cannot be read, stays on the device.
 */
export class UploadQueue {
  readonly view: Store<QueueView> = createStore<QueueView>(idle);
  readonly #parts: Parts;
  /** The segments to upload, by id. */
  readonly #claimed = new Map<string, Segment>();
  /** Segments that are being looked up to be claimed. */
  #adding = 0;
  #isRunning = false;
  #mayUpload = true;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;
  /** Bytes of segments that were confirmed since the queue was last empty. */
  #confirmed = 0;
  readonly #listeners = new Set<(event: QueueEvent) => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Adds finished segments of the present user. */
  async add(ids: readonly string[]): Promise<void> {
    const owner = this.#parts.owner();
    if (owner === undefined) return;
    this.#adding += ids.length;
    try {
      const segments = await this.#parts.store.list(owner);
      for (const segment of segments) {
        if (ids.includes(segment.id) && segment.stopped !== null) this.#claimed.set(segment.id, segment);
      }
    } finally {
      this.#adding -= ids.length;
    }
    this.#show();
    this.retryNow();
  }

  isClaimed(id: string): boolean {
    return this.#claimed.has(id);
  }

  /** The number of segments of an appointment that are not confirmed. */
  leftOf(appointmentUid: string): number {
    return [...this.#claimed.values()].filter((segment) => segment.appointmentUid === appointmentUid).length;
  }

  /** False while the visit needs the connection. An upload in progress continues. */
  allow(mayUpload: boolean): void {
    if (this.#mayUpload === mayUpload) return;
    this.#mayUpload = mayUpload;
    if (mayUpload) this.retryNow();
    else this.#show();
  }

  /** Tries now, for example because the device is online again. */
  retryNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    void this.#run();
  }

  /** Another person has signed in: their uploads stay on the device. */
  clear(): void {
    this.#claimed.clear();
    this.#cancelRetry?.();
    this.#show();
  }

  /** Calls back after each segment that was confirmed, or refused for good. */
  onDone(listener: (event: QueueEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let isTrying = true;
    while (isTrying && this.#mayUpload) {
      const next = this.#next();
      if (!next) break;
      isTrying = await this.#try(next);
    }
    this.#isRunning = false;
    this.#show();
  }

  #next(): Segment | undefined {
    const owner = this.#parts.owner();
    const [oldest] = [...this.#claimed.values()].toSorted((a, b) => a.started - b.started);
    return oldest?.owner === owner ? oldest : undefined;
  }

  /** Uploads one segment. Returns whether the next one can be tried. */
  async #try(segment: Segment): Promise<boolean> {
    this.#show(0);
    try {
      await this.#parts.upload(segment, (sent) => this.#show(sent));
      this.#failures = 0;
      this.#confirmed += segment.size;
      await this.#parts.store.remove(segment.id).catch(() => undefined);
      this.#settle(segment, null);
      return true;
    } catch (error) {
      const code = finalCode(error);
      if (code === undefined) {
        this.#retryLater(error);
        return false;
      }
      await this.#parts.store.refuse(segment.id, code).catch(() => undefined);
      this.#settle(segment, error as Error);
      return true;
    }
  }

  #settle(segment: Segment, refused: Error | null): void {
    this.#claimed.delete(segment.id);
    for (const listener of [...this.#listeners])
      listener({ segment, refused, left: this.#claimed.size + this.#adding });
  }

  #retryLater(error: unknown): void {
    const delay = retryDelaysMs[Math.min(this.#failures, retryDelaysMs.length - 1)] ?? 0;
    const asked = error instanceof ProblemError ? (error.retryAfter ?? 0) * 1_000 : 0;
    this.#failures += 1;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#parts.clock.after(Math.max(delay, asked), () => {
      this.#cancelRetry = undefined;
      void this.#run();
    });
  }

  #show(sent?: number): void {
    const left = this.#claimed.size;
    if (left === 0) {
      this.#confirmed = 0;
      this.view.set(idle);
      return;
    }
    const waiting = [...this.#claimed.values()].reduce((sum, { size }) => sum + size, 0);
    const status = sent !== undefined ? 'uploading' : this.#cancelRetry ? 'retrying' : 'waiting';
    this.view.set({ status, left, sent: this.#confirmed + (sent ?? 0), total: this.#confirmed + waiting });
  }
}
