import modelAddress from '@mediapipe/selfie_segmentation/selfie_segmentation_landscape.tflite?url';
import type { BlurEnd } from './camera-blur.ts';
import { Compositor } from './compositor.ts';
import { readModel } from './model-file.ts';
import { Segmenter } from './segmenter.ts';
import { SpeedWatch } from './speed-watch.ts';

/** The images of a camera, and where to write them. */
interface Task {
  readonly readable: ReadableStream<VideoFrame>;
  readonly writable: WritableStream<VideoFrame>;
}

async function work({ readable, writable }: Task): Promise<void> {
  const response = await fetch(modelAddress);
  if (!response.ok) throw new Error(`The model could not be loaded: ${response.status}.`);
  const compositor = new Compositor(new Segmenter(readModel(await response.arrayBuffer())));
  const watch = new SpeedWatch();
  const writer = writable.getWriter();
  for await (const frame of readable as unknown as AsyncIterable<VideoFrame>) {
    let blurred: VideoFrame;
    try {
      blurred = compositor.draw(frame);
    } finally {
      frame.close();
    }
    await writer.write(blurred);
    if (compositor.segmentedMs !== undefined && watch.add(compositor.segmentedMs, performance.now())) end('slow');
  }
}

const end = (why: BlurEnd): void => postMessage(why);

addEventListener('message', ({ data }: MessageEvent<Task>) => void work(data).catch(() => end('failed')));
