// @vitest-environment node
import modelFile from '@mediapipe/selfie_segmentation/selfie_segmentation_landscape.tflite?url&inline';
import { expect, test } from 'vitest';
import { readModel } from './model-file.ts';
// Grace Hopper, a photo of the US Navy in the public domain: 64 x 36 pixels, three bytes each.
import portraitFile from './portrait.rgb?url&inline';
import { Segmenter } from './segmenter.ts';

const contentOf = async (address: string) => (await fetch(address)).arrayBuffer();
const buildSegmenter = async () => new Segmenter(readModel(await contentOf(modelFile)));
const share = (values: Float32Array, from: number) => values.filter((value) => value > from).length / values.length;

test('Segmenter: finds the person of a portrait, and the background beside them', async () => {
  const segmenter = await buildSegmenter();
  const { input, output, width, height } = segmenter;
  expect([width, height, input.length]).toEqual([256, 144, 256 * 144 * 3]);
  const portrait = new Uint8Array(await contentOf(portraitFile));
  for (const index of input.keys()) {
    const [pixel, color] = [Math.floor(index / 3), index % 3];
    const [x, y] = [Math.floor((pixel % width) / 4), Math.floor(pixel / width / 4)];
    input[index] = (portrait[(y * 64 + x) * 3 + color] ?? 0) / 255;
  }
  segmenter.run();
  const at = (x: number, y: number) => output[Math.round(y * height) * width + Math.round(x * width)];
  // The face, and both sides of it.
  expect(at(0.45, 0.4)).toBeGreaterThan(0.95);
  for (const x of [0.05, 0.95]) for (const y of [0.1, 0.5, 0.9]) expect(at(x, y)).toBeLessThan(0.1);
  expect(share(output, 0.5)).toBeGreaterThan(0.25);
  expect(share(output, 0.5)).toBeLessThan(0.45);
});

test('Segmenter: an image of one color has no person', async () => {
  const segmenter = await buildSegmenter();
  segmenter.input.fill(0.5);
  segmenter.run();
  expect(share(segmenter.output, 0.5)).toBe(0);
});

test('readModel: a file that is cut off is refused', async () => {
  const file = await contentOf(modelFile);
  expect(() => readModel(file.slice(0, 1_000))).toThrow(RangeError);
});
