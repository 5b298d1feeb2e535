import { recordingBitRate } from '@roomside/contract/limits.ts';
import type { Clock } from '../core/clock.ts';
import { parsePeerId } from '../core/peer-id.ts';
import { mediaTypeFor } from './media-type.ts';
import type { Segment, SegmentStore } from './segment-store.ts';
import { StorageFull } from './storage-full.ts';

/** A device whose sound and video are recorded. */
export interface TrackSource {
  readonly peerId: string;
  readonly stream: MediaStream;
}

export type RecorderProblem = 'full' | 'failed';

/** The part of MediaRecorder that is used. */
export type MediaRecorderLike = Pick<
  MediaRecorder,
  'start' | 'stop' | 'state' | 'onstart' | 'ondataavailable' | 'onstop' | 'onerror'
>;

/** With an option of the standard that TypeScript does not know. */
export type RecorderOptions = MediaRecorderOptions & { readonly videoKeyFrameIntervalDuration: number };

export interface RecorderParts {
  readonly store: Pick<SegmentStore, 'begin' | 'append' | 'finish'>;
  /** Follows the server's time. */
  readonly clock: Clock;
  readonly owner: string;
  readonly appointmentUid: string;
  /** The page load. */
  readonly page: string;
  readonly newId: () => string;
  readonly createRecorder: (stream: MediaStream, options: RecorderOptions) => MediaRecorderLike;
  readonly isTypeSupported: (type: string) => boolean;
  /** The length of a segment, ms. */
  readonly segmentMs: number;
  /** A segment is stored completely. */
  readonly onFinished: (id: string) => void;
  readonly onProblem: (problem: RecorderProblem) => void;
}

/** The time between two chunks of a recorder, ms. */
const chunkMs = 1_000;
/**
 * The time between two key frames, ms. A chunk of MP4 ends at a key frame only, and without this there is one in 100 frames: it limits
 * what a killed browser loses, and makes seeking exact.
 */
const keyFrameMs = 2_000;
/** The delay before a recorder that has stopped by itself is replaced, ms. */
const restartMs = 500;

/** Records the streams of several devices, each in separate segments. */
export class Recorder {
  readonly #parts: RecorderParts;
  /** By peer id. */
  readonly #tracks = new Map<string, TrackRecorder>();
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  get isRecording(): boolean {
    return this.#tracks.size > 0;
  }

  /** Records these streams from now on, and no others. A new stream of a device begins a new segment. */
  follow(sources: readonly TrackSource[]): void {
    const wanted = new Map(sources.map((source) => [source.peerId, source]));
    for (const [peerId, track] of this.#tracks) {
      // A new connection to the same page brings another object with the same id, and ends the tracks of the first.
      if (wanted.get(peerId)?.stream === track.stream) continue;
      this.#tracks.delete(peerId);
      this.#end(track);
    }
    for (const [peerId, source] of wanted) {
      if (!this.#tracks.has(peerId)) this.#tracks.set(peerId, new TrackRecorder(this.#parts, source));
    }
  }

  /** Stops all. Resolves when everything is stored. */
  async stop(): Promise<void> {
    this.follow([]);
    await Promise.all(this.#ending);
  }

  #end(track: TrackRecorder): void {
    const ended = track.stop().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** One MediaRecorder, from its start to its stop. */
interface Take {
  stop(): void;
}

/** The recorders of one stream, one after another. */
class TrackRecorder {
  readonly #parts: RecorderParts;
  readonly #source: TrackSource;
  #take: Take | undefined;
  #isWanted = true;
  readonly #takes = new Set<Promise<void>>();
  #cancel: (() => void) | undefined;

  constructor(parts: RecorderParts, source: TrackSource) {
    this.#parts = parts;
    this.#source = source;
    this.#begin();
  }

  get stream(): MediaStream {
    return this.#source.stream;
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    this.#cancel?.();
    this.#stopTake();
    await Promise.all(this.#takes);
  }

  /** Starts the next segment before it stops the present one, so that nothing is missing between them. */
  #begin(): void {
    const { clock, segmentMs } = this.#parts;
    this.#cancel?.();
    const previous = this.#take;
    this.#take = this.#start();
    previous?.stop();
    // Without a live track: tries again, since a device may turn on its camera later.
    this.#cancel = clock.after(this.#take ? segmentMs : restartMs, () => this.#begin());
  }

  #start(): Take | undefined {
    const { createRecorder, isTypeSupported, clock } = this.#parts;
    const { stream } = this.#source;
    const mimeType = mediaTypeFor(stream, isTypeSupported);
    if (mimeType === undefined) return undefined;
    let recorder: MediaRecorderLike;
    try {
      recorder = createRecorder(stream, {
        mimeType,
        bitsPerSecond: recordingBitRate,
        videoKeyFrameIntervalDuration: keyFrameMs,
      });
    } catch {
      return undefined;
    }
    // What is recorded lies between the calls: their events come late on a busy page.
    const { peerId } = this.#source;
    const writing = new SegmentWriter(this.#parts, { peerId, mediaType: mimeType, started: clock.now() });
    let stopped: number | undefined;
    const take: Take = {
      stop() {
        if (recorder.state === 'inactive') return;
        stopped = clock.now();
        recorder.stop();
      },
    };
    const done = new Promise<void>((resolve) => {
      recorder.onstart = () => writing.begin();
      recorder.ondataavailable = ({ data }) => writing.append(data, () => take.stop());
      recorder.onstop = () => {
        void writing.finish(stopped ?? clock.now()).then(resolve);
        if (this.#take !== take) return;
        this.#take = undefined;
        // A track was added, removed, or has ended.
        if (this.#isWanted && !writing.hasFailed) this.#cancelAndRestart();
      };
    });
    try {
      recorder.start(chunkMs);
    } catch {
      return undefined;
    }
    const tracked = done.finally(() => this.#takes.delete(tracked));
    this.#takes.add(tracked);
    return take;
  }

  #cancelAndRestart(): void {
    this.#cancel?.();
    this.#cancel = this.#parts.clock.after(restartMs, () => this.#begin());
  }

  #stopTake(): void {
    const take = this.#take;
    this.#take = undefined;
    take?.stop();
  }
}

interface SegmentFacts extends Pick<Segment, 'mediaType' | 'started'> {
  readonly peerId: string;
}

/** Stores the chunks of one segment, one after another. */
class SegmentWriter {
  readonly #parts: RecorderParts;
  readonly #id: string;
  readonly #about: SegmentFacts;
  #writes: Promise<unknown> | undefined;
  #failed = false;

  constructor(parts: RecorderParts, about: SegmentFacts) {
    this.#parts = parts;
    this.#id = parts.newId();
    this.#about = about;
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  begin(): void {
    const { store, owner, appointmentUid, page } = this.#parts;
    const { peerId, ...facts } = this.#about;
    const { role: roleId, personId: userId, device } = parsePeerId(peerId);
    this.#writes ??= store
      .begin({ id: this.#id, owner, appointmentUid, page, roleId, userId, device, ...facts })
      .catch((error: unknown) => this.#fail(error));
  }

  /** `onFailed` is called when the chunk could not be stored; what was stored before is kept. */
  append(data: Blob, onFailed: () => void): void {
    if (data.size === 0) return;
    this.begin();
    const at = this.#parts.clock.now();
    this.#writes = this.#writes?.then(async () => {
      if (this.#failed) return onFailed();
      try {
        await this.#parts.store.append(this.#id, await data.arrayBuffer(), at);
      } catch (error) {
        this.#fail(error);
        onFailed();
      }
    });
  }

  async finish(at: number): Promise<void> {
    await this.#writes;
    try {
      if (await this.#parts.store.finish(this.#id, at)) this.#parts.onFinished(this.#id);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#parts.onProblem(error instanceof StorageFull ? 'full' : 'failed');
  }
}
