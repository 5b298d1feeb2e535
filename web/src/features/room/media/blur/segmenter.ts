import type { Model, Operation } from './model-file.ts';

/** Height, width and number of channels. */
interface Size {
  readonly h: number;
  readonly w: number;
  readonly c: number;
}
type Step = () => void;

/** Finds the person in a small image, on the processor. */
export class Segmenter {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, 0 to 1. */
  readonly input: Float32Array;
  /** For each pixel how likely it is a person, 0 to 1; of the last `run`. */
  readonly output: Float32Array;
  readonly #steps: readonly Step[];

  /** @throws Error for a model that does not fit together */
  constructor(model: Model) {
    const values = model.tensors.map(({ shape, values: constant }) => constant ?? new Float32Array(product(shape)));
    const sizes = model.tensors.map(({ shape: [, h = 1, w = 1, c = 1] }): Size => ({ h, w, c }));
    const valuesOf = (index: number | undefined) => must(values[index ?? -1]);
    const sizeOf = (index: number | undefined) => must(sizes[index ?? -1]);
    this.#steps = model.operations.map((operation) => stepOf(operation, valuesOf, sizeOf));
    this.input = valuesOf(model.input);
    this.output = valuesOf(model.output);
    ({ w: this.width, h: this.height } = sizeOf(model.input));
  }

  run(): void {
    for (const step of this.#steps) step();
  }
}

function stepOf(
  { kind, inputs: [first, second, third], output, stride }: Operation,
  valuesOf: (index: number | undefined) => Float32Array,
  sizeOf: (index: number | undefined) => Size,
): Step {
  const [x, y] = [valuesOf(first), valuesOf(output)];
  const [from, to] = [sizeOf(first), sizeOf(output)];
  switch (kind) {
    case 'convolution': {
      const kernel = sizeOf(second);
      const [weights, bias] = [valuesOf(second), valuesOf(third)];
      return kernel.h === 1 && kernel.w === 1
        ? () => multiplyMatrix(x, { weights, bias }, y, from.c, to.c)
        : () => convolve({ x, from, weights, bias, y, to, kernel, stride });
    }
    case 'depthwise': {
      const [weights, bias, kernel] = [valuesOf(second), valuesOf(third), sizeOf(second)];
      return () => convolveDepthwise({ x, from, weights, bias, y, to, kernel, stride });
    }
    case 'upsample': {
      const [weights, bias] = [valuesOf(second), valuesOf(third)];
      return () => upsample(x, from, weights, bias[0] ?? 0, y);
    }
    case 'resize':
      return () => resize(x, from, y, to);
    case 'mean':
      return () => mean(x, from, y);
    case 'add': {
      const other = valuesOf(second);
      return () => {
        for (let i = 0; i < y.length; i += 1) y[i] = at(x, i) + at(other, i);
      };
    }
    case 'multiply': {
      // One factor for each channel, or for each value.
      const other = valuesOf(second);
      return () => {
        for (let i = 0; i < y.length; i += 1) y[i] = at(x, i) * at(other, i % other.length);
      };
    }
    case 'relu':
      return () => {
        for (let i = 0; i < y.length; i += 1) y[i] = Math.max(0, at(x, i));
      };
    case 'hard-swish':
      return () => {
        for (let i = 0; i < y.length; i += 1) y[i] = (at(x, i) * Math.min(6, Math.max(0, at(x, i) + 3))) / 6;
      };
    case 'sigmoid':
      return () => {
        for (let i = 0; i < y.length; i += 1) y[i] = 1 / (1 + Math.exp(-at(x, i)));
      };
    default:
      throw new Error(`The operation ${kind} has no code.`);
  }
}

/** A convolution of one pixel: for each pixel the dot products of its channels with those of each output, four at a time. */
function multiplyMatrix(
  x: Float32Array,
  { weights, bias }: { weights: Float32Array; bias: Float32Array },
  y: Float32Array,
  inputs: number,
  outputs: number,
): void {
  const pixels = y.length / outputs;
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const start = pixel * inputs;
    const target = pixel * outputs;
    for (let o = 0; o < outputs; o += 4) {
      let [a, b, c, d] = [at(bias, o), at(bias, o + 1), at(bias, o + 2), at(bias, o + 3)];
      let w = o * inputs;
      for (let i = 0; i < inputs; i += 1, w += 1) {
        const value = at(x, start + i);
        a += value * at(weights, w);
        b += value * at(weights, w + inputs);
        c += value * at(weights, w + 2 * inputs);
        d += value * at(weights, w + 3 * inputs);
      }
      y[target + o] = a;
      y[target + o + 1] = b;
      y[target + o + 2] = c;
      y[target + o + 3] = d;
    }
  }
}

interface Convolution {
  x: Float32Array;
  from: Size;
  weights: Float32Array;
  bias: Float32Array;
  y: Float32Array;
  to: Size;
  kernel: Size;
  stride: number;
}

/** The pixels before the first one, which count as zero: the image is as large as before, divided by the stride. */
const before = (from: number, to: number, kernel: number, stride: number): number =>
  Math.max(0, (to - 1) * stride + kernel - from) >> 1;

function convolve({ x, from, weights, bias, y, to, kernel, stride }: Convolution): void {
  const [top, left] = [before(from.h, to.h, kernel.h, stride), before(from.w, to.w, kernel.w, stride)];
  for (let row = 0; row < to.h; row += 1)
    for (let column = 0; column < to.w; column += 1)
      for (let o = 0; o < to.c; o += 1) {
        let sum = at(bias, o);
        for (let ky = 0; ky < kernel.h; ky += 1) {
          const iy = row * stride + ky - top;
          if (iy < 0 || iy >= from.h) continue;
          for (let kx = 0; kx < kernel.w; kx += 1) {
            const ix = column * stride + kx - left;
            if (ix < 0 || ix >= from.w) continue;
            const source = (iy * from.w + ix) * from.c;
            const weight = ((o * kernel.h + ky) * kernel.w + kx) * from.c;
            for (let i = 0; i < from.c; i += 1) sum += at(x, source + i) * at(weights, weight + i);
          }
        }
        y[(row * to.w + column) * to.c + o] = sum;
      }
}

function convolveDepthwise({ x, from, weights, bias, y, to, kernel, stride }: Convolution): void {
  const [top, left] = [before(from.h, to.h, kernel.h, stride), before(from.w, to.w, kernel.w, stride)];
  const channels = to.c;
  for (let row = 0; row < to.h; row += 1)
    for (let column = 0; column < to.w; column += 1) {
      const target = (row * to.w + column) * channels;
      for (let c = 0; c < channels; c += 1) y[target + c] = at(bias, c);
      for (let ky = 0; ky < kernel.h; ky += 1) {
        const iy = row * stride + ky - top;
        if (iy < 0 || iy >= from.h) continue;
        for (let kx = 0; kx < kernel.w; kx += 1) {
          const ix = column * stride + kx - left;
          if (ix < 0 || ix >= from.w) continue;
          const source = (iy * from.w + ix) * channels;
          const weight = (ky * kernel.w + kx) * channels;
          for (let c = 0; c < channels; c += 1)
            y[target + c] = at(y, target + c) + at(x, source + c) * at(weights, weight + c);
        }
      }
    }
}

/** A transposed convolution to one channel, twice as large: each pixel becomes a square of four. */
function upsample(x: Float32Array, from: Size, weights: Float32Array, bias: number, y: Float32Array): void {
  for (let row = 0; row < from.h; row += 1)
    for (let column = 0; column < from.w; column += 1) {
      const source = (row * from.w + column) * from.c;
      for (let k = 0; k < 4; k += 1) {
        let sum = bias;
        for (let i = 0; i < from.c; i += 1) sum += at(x, source + i) * at(weights, k * from.c + i);
        y[(2 * row + (k >> 1)) * from.w * 2 + 2 * column + (k & 1)] = sum;
      }
    }
}

/** Bilinear, between the centers of pixels. */
function resize(x: Float32Array, from: Size, y: Float32Array, to: Size): void {
  for (let row = 0; row < to.h; row += 1) {
    const [top, bottom, down] = neighbors(row, to.h, from.h);
    for (let column = 0; column < to.w; column += 1) {
      const [left, right, across] = neighbors(column, to.w, from.w);
      const target = (row * to.w + column) * to.c;
      for (let c = 0; c < to.c; c += 1) {
        const pixel = (iy: number, ix: number) => at(x, (iy * from.w + ix) * from.c + c);
        const above = pixel(top, left) * (1 - across) + pixel(top, right) * across;
        const below = pixel(bottom, left) * (1 - across) + pixel(bottom, right) * across;
        y[target + c] = above * (1 - down) + below * down;
      }
    }
  }
}

/** The two pixels that one of the larger image lies between, and how near it is to the second. */
function neighbors(index: number, to: number, from: number): [number, number, number] {
  const place = Math.max(0, ((index + 0.5) * from) / to - 0.5);
  const first = Math.floor(place);
  return [first, Math.min(from - 1, first + 1), place - first];
}

/** The mean of each channel. */
function mean(x: Float32Array, { h, w, c }: Size, y: Float32Array): void {
  y.fill(0);
  for (let i = 0; i < x.length; i += 1) y[i % c] = at(y, i % c) + at(x, i);
  for (let i = 0; i < c; i += 1) y[i] = at(y, i) / (h * w);
}

/** The loops stay within the arrays: an undefined value cannot be. */
const at = (values: Float32Array, index: number): number => values[index] as number;
const product = (shape: readonly number[]): number => shape.reduce((all, one) => all * one, 1);

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The model does not fit together.');
  return value;
}
