import type { Segmenter } from './segmenter.ts';

/** The width of the background before it is enlarged again, pixels: no text and no face can be read. */
const backgroundWidth = 40;
/** At most this share of the time is spent on finding the person; images between show their last outline. */
const segmentingShare = 0.7;
/** What is less or more likely a person than this is all background or all person. */
const [least, most] = [0.35, 0.75];

/** Draws images with a blurred background. */
export class Compositor {
  readonly #segmenter: Segmenter;
  readonly #small: OffscreenCanvasRenderingContext2D;
  readonly #mask: OffscreenCanvasRenderingContext2D;
  readonly #background: OffscreenCanvasRenderingContext2D;
  readonly #result: OffscreenCanvasRenderingContext2D;
  readonly #pixels: ImageData;
  #nextAt = 0;

  constructor(segmenter: Segmenter) {
    const { width, height } = segmenter;
    this.#segmenter = segmenter;
    this.#small = contextOf(width, height, { willReadFrequently: true });
    this.#mask = contextOf(width, height);
    this.#background = contextOf(backgroundWidth, backgroundWidth);
    this.#result = contextOf(width, height);
    this.#pixels = new ImageData(width, height);
  }

  /** The time that it took to find the person in the last image, ms; undefined when its outline is that of an earlier one. */
  segmentedMs: number | undefined;

  /** Returns the image with a blurred background, at the same time and size. The caller closes both. */
  draw(frame: VideoFrame): VideoFrame {
    const { displayWidth: width, displayHeight: height, timestamp } = frame;
    const inside = fit(width, height, this.#segmenter);
    const now = performance.now();
    this.segmentedMs = undefined;
    if (now >= this.#nextAt) {
      this.#segment(frame, inside);
      const end = performance.now();
      this.segmentedMs = end - now;
      this.#nextAt = end + this.segmentedMs * (1 / segmentingShare - 1);
    }
    const { canvas } = this.#result;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.#drawBackground(frame, width, height);
    const { x, y, w, h } = inside;
    this.#result.globalCompositeOperation = 'copy';
    this.#result.drawImage(this.#mask.canvas, x, y, w, h, 0, 0, width, height);
    this.#result.globalCompositeOperation = 'source-in';
    this.#result.drawImage(frame, 0, 0, width, height);
    this.#result.globalCompositeOperation = 'destination-over';
    this.#result.drawImage(this.#background.canvas, 0, 0, width, height);
    return new VideoFrame(canvas, { timestamp, alpha: 'discard' });
  }

  #drawBackground(frame: VideoFrame, width: number, height: number): void {
    const { canvas } = this.#background;
    const rows = Math.max(1, Math.round((backgroundWidth * height) / width));
    if (canvas.height !== rows) canvas.height = rows;
    this.#background.imageSmoothingQuality = 'high';
    this.#background.filter = 'blur(1.5px)';
    this.#background.drawImage(frame, 0, 0, backgroundWidth, rows);
  }

  #segment(frame: VideoFrame, { x, y, w, h }: Place): void {
    const { input, output, width, height } = this.#segmenter;
    this.#small.fillRect(0, 0, width, height);
    this.#small.drawImage(frame, x, y, w, h);
    const { data } = this.#small.getImageData(0, 0, width, height);
    for (let pixel = 0; pixel < width * height; pixel += 1)
      for (let color = 0; color < 3; color += 1) input[pixel * 3 + color] = (data[pixel * 4 + color] ?? 0) / 255;
    this.#segmenter.run();
    for (const [pixel, person] of output.entries())
      this.#pixels.data[pixel * 4 + 3] = (255 * (person - least)) / (most - least);
    this.#mask.putImageData(this.#pixels, 0, 0);
  }
}

/** A part of a canvas. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Where an image is in a smaller one that it fits into as a whole, in the middle. */
function fit(width: number, height: number, into: { width: number; height: number }): Place {
  const scale = Math.min(into.width / width, into.height / height);
  const [w, h] = [width * scale, height * scale];
  return { x: (into.width - w) / 2, y: (into.height - h) / 2, w, h };
}

function contextOf(width: number, height: number, settings?: CanvasRenderingContext2DSettings) {
  const context = new OffscreenCanvas(width, height).getContext('2d', settings);
  if (!context) throw new Error('The browser has no canvas.');
  return context;
}
