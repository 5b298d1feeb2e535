import type { Clock } from '../core/clock.ts';
import type { MediaRecorderLike } from './recorder.ts';

/** A clock that tests move. */
export function buildClock(start = 1_000_000): Clock & { advance(ms: number): void } {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        now = next.at;
        next.run();
      }
      now = until;
    },
  };
}

/** A stream with a live track of each kind. */
export function buildStream(id: string, kinds: readonly ('audio' | 'video')[] = ['audio', 'video']): MediaStream {
  const tracks = kinds.map((kind) => ({ kind, readyState: 'live' }));
  // The recorder reads nothing else of a stream.
  return { id, getTracks: () => tracks } as unknown as MediaStream;
}

/** The browser's MediaRecorder: tests say when it has data. */
export class FakeMediaRecorder implements MediaRecorderLike {
  static all: FakeMediaRecorder[] = [];
  readonly stream: MediaStream;
  readonly options: MediaRecorderOptions;
  state: RecordingState = 'inactive';
  onstart: MediaRecorderLike['onstart'] = null;
  ondataavailable: MediaRecorderLike['ondataavailable'] = null;
  onstop: MediaRecorderLike['onstop'] = null;
  onerror: MediaRecorderLike['onerror'] = null;

  constructor(stream: MediaStream, options: MediaRecorderOptions) {
    this.stream = stream;
    this.options = options;
    FakeMediaRecorder.all.push(this);
  }

  static running(): FakeMediaRecorder[] {
    return FakeMediaRecorder.all.filter(({ state }) => state === 'recording');
  }

  start(): void {
    this.state = 'recording';
    this.#call(this.onstart, {});
  }

  emit(text: string): void {
    this.#call(this.ondataavailable, { data: new Blob([text]) });
  }

  stop(): void {
    this.state = 'inactive';
    this.emit('end');
    this.#call(this.onstop, {});
  }

  /** The handlers read the data of an event only. */
  #call(handler: unknown, event: object): void {
    (handler as ((event: object) => void) | null)?.(event);
  }
}
