/** Why the blur has ended by itself: the device is too slow, or something has failed. */
export type BlurEnd = 'slow' | 'failed';

/** A camera whose background is blurred. */
export interface BlurredCamera {
  /** It exists immediately; its images follow when the model is loaded. It never shows the background. */
  readonly track: MediaStreamTrack;
  stop(): void;
}

/** Blurs the background of a camera; `onEnd` is called when it cannot go on. */
export type BlurCamera = (camera: MediaStreamTrack, onEnd: (why: BlurEnd) => void) => BlurredCamera;

/** What Chromium has of the MediaStreamTrack Insertable Media Processing; TypeScript has no types of it. */
interface InsertableStreams {
  MediaStreamTrackProcessor?: new (options: {
    track: MediaStreamTrack;
    maxBufferSize: number;
  }) => {
    readable: ReadableStream<VideoFrame>;
  };
  MediaStreamTrackGenerator?: new (options: {
    kind: 'video';
  }) => MediaStreamTrack & {
    writable: WritableStream<VideoFrame>;
  };
}

/** A constraint of the Media Capture Extensions: some systems blur in the camera's driver. */
type OwnBlur = { backgroundBlur?: readonly boolean[] };

/** Whether the camera itself can blur and not blur. */
export function hasOwnBlur(camera: MediaStreamTrack): boolean {
  const can = (camera.getCapabilities?.() as OwnBlur | undefined)?.backgroundBlur;
  return can?.includes(true) === true && can.includes(false);
}

/** Returns what blurs in a worker; undefined where the browser cannot give it the images of a camera (Firefox, Safari). */
export function blurInWorker(): BlurCamera | undefined {
  const { MediaStreamTrackProcessor: Processor, MediaStreamTrackGenerator: Generator } =
    globalThis as InsertableStreams;
  if (!Processor || !Generator || typeof OffscreenCanvas === 'undefined') return undefined;
  return (camera, onEnd) => {
    // An image that waits is replaced by a newer one.
    const { readable } = new Processor({ track: camera, maxBufferSize: 1 });
    const track = new Generator({ kind: 'video' });
    const { writable } = track;
    const worker = new Worker(new URL('./blur-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<BlurEnd>) => onEnd(data));
    worker.addEventListener('error', () => onEnd('failed'));
    worker.postMessage({ readable, writable }, [readable, writable]);
    return {
      track,
      stop() {
        worker.terminate();
        track.stop();
      },
    };
  };
}
