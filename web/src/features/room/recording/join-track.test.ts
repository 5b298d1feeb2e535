// @vitest-environment node
import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { planSegments } from '../../recordings/track-plan.ts';
import { joinTrack, NotJoinable } from './join-track.ts';

const segment = (id: string, start: number, stop: number) => ({ id, start: start * 1000, stop: stop * 1000 });

describe('planSegments', () => {
  test('keeps the times between segments, and ends a segment where the next one begins', () => {
    expect(planSegments([segment('a', 100, 120.1), segment('b', 120, 140), segment('c', 200, 210)])).toEqual([
      { id: 'a', from: 0, until: 20 },
      { id: 'b', from: 20, until: 40 },
      { id: 'c', from: 100, until: 110 },
    ]);
  });

  test('leaves out a segment within the one before, and one that is replaced from its start', () => {
    expect(planSegments([segment('a', 0, 60), segment('within', 10, 20)]).map(({ id }) => id)).toEqual(['a']);
    expect(planSegments([segment('short', 0, 10), segment('a', 0, 60)]).map(({ id }) => id)).toEqual(['a']);
    expect(planSegments([])).toEqual([]);
  });
});

interface Content {
  container?: 'mp4' | 'webm';
  codec?: 'vp9' | 'vp8';
  /** s */
  length: number;
  kinds?: readonly ('video' | 'audio')[];
}

/** A segment with 10 images and 50 packets of sound per second; their first byte is `mark`. */
async function build(mark: number, content: Content): Promise<ArrayBuffer> {
  const { container = 'webm', codec = 'vp9', length, kinds = ['video', 'audio'] } = content;
  const target = new BufferTarget();
  const format = container === 'webm' ? new WebMOutputFormat() : new Mp4OutputFormat({ fastStart: 'fragmented' });
  const output = new Output({ format, target });
  const [video, audio] = [new EncodedVideoPacketSource(codec), new EncodedAudioPacketSource('opus')];
  if (kinds.includes('video')) output.addVideoTrack(video);
  if (kinds.includes('audio')) output.addAudioTrack(audio);
  await output.start();
  const picture = { codec: codec === 'vp9' ? 'vp09.00.10.08' : 'vp8', codedWidth: 64, codedHeight: 48 };
  const sound = { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1 };
  for (let i = 0; i < length * 50; i += 1) {
    const data = new Uint8Array([mark, i]);
    if (kinds.includes('video') && i % 5 === 0)
      await video.add(new EncodedPacket(data, i % 50 === 0 ? 'key' : 'delta', i / 50, 0.1), { decoderConfig: picture });
    if (kinds.includes('audio'))
      await audio.add(new EncodedPacket(data, 'key', i / 50, 0.02), { decoderConfig: sound });
  }
  await output.finalize();
  if (!target.buffer) throw new Error('Nothing was written.');
  return target.buffer;
}

interface Given {
  at: readonly [start: number, stop: number];
  content: Content;
}

async function join(
  given: readonly Given[],
  container: 'mp4' | 'webm' = 'webm',
  signal = new AbortController().signal,
) {
  const contents = await Promise.all(given.map(({ content }, index) => build(index, content)));
  const target = new BufferTarget();
  const parts: number[] = [];
  await joinTrack({
    plan: planSegments(given.map(({ at: [start, stop] }, index) => segment(String(index), start, stop))),
    sourceOf: (id) => new BufferSource(contents[Number(id)] ?? new ArrayBuffer()),
    container,
    target,
    onProgress: (part) => parts.push(part),
    signal,
  });
  if (!target.buffer) throw new Error('Nothing was written.');
  const input = new Input({ source: new BufferSource(target.buffer), formats: [MP4, WEBM] });
  return { input, parts, duration: await input.computeDuration() };
}

/** The marks and times of the packets of a kind. */
async function packetsOf(input: Input, kind: 'video' | 'audio'): Promise<{ mark: number | undefined; at: number }[]> {
  const track = kind === 'video' ? await input.getPrimaryVideoTrack() : await input.getPrimaryAudioTrack();
  if (!track) throw new Error(`There is no ${kind}.`);
  const all: { mark: number | undefined; at: number }[] = [];
  for await (const { data, timestamp } of new EncodedPacketSink(track).packets())
    all.push({ mark: data[0], at: Math.round(timestamp * 1000) / 1000 });
  return all;
}

describe('joinTrack', () => {
  test.each(['webm', 'mp4'] as const)('%s: one file as long as the time, with the overlap once', async (container) => {
    const given: Given[] = [
      { at: [0, 2.2], content: { container, length: 2.2 } },
      { at: [2, 4], content: { container, length: 2 } },
    ];
    const { input, duration, parts } = await join(given, container);
    expect(duration).toBeCloseTo(4, 1);
    const video = await packetsOf(input, 'video');
    expect(video).toHaveLength(40);
    expect(video.map(({ at }) => at)).toEqual(video.map((_, index) => index / 10));
    expect(video.filter(({ mark }) => mark === 0)).toHaveLength(20);
    expect((await packetsOf(input, 'audio')).map(({ at }) => at)).toEqual(
      Array.from({ length: 200 }, (_, index) => index / 50),
    );
    expect(parts.every((part, index) => part >= (parts[index - 1] ?? 0))).toBe(true);
    expect(parts.at(-1)).toBeGreaterThan(0.99);
  });

  test('a time without a recording: stays, with silence', async () => {
    const { input, duration } = await join([
      { at: [0, 1], content: { length: 1 } },
      { at: [61, 62], content: { length: 1 } },
    ]);
    expect(duration).toBeCloseTo(62, 1);
    const video = await packetsOf(input, 'video');
    expect(video.slice(9, 11)).toEqual([
      { mark: 0, at: 0.9 },
      { mark: 1, at: 61 },
    ]);
    const audio = await packetsOf(input, 'audio');
    const silent = audio.filter(({ mark }) => mark === 0xf8);
    expect([silent.length, silent[0]?.at, silent.at(-1)?.at]).toEqual([3_000, 1, 60.98]);
    expect(audio.filter(({ mark }) => mark === 1)[0]?.at).toBe(61);
  });

  test('a camera that was turned on later: its images begin at their time', async () => {
    const { input } = await join([
      { at: [0, 1], content: { length: 1, kinds: ['audio'] } },
      { at: [1, 2], content: { length: 1 } },
    ]);
    expect((await packetsOf(input, 'video'))[0]).toEqual({ mark: 1, at: 1 });
    expect(await packetsOf(input, 'audio')).toHaveLength(100);
  });

  test('segments of different codecs: are not joined', async () => {
    const given: Given[] = [
      { at: [0, 1], content: { length: 1 } },
      { at: [1, 2], content: { length: 1, codec: 'vp8' } },
    ];
    await expect(join(given)).rejects.toBeInstanceOf(NotJoinable);
  });

  test('aborted: throws the reason and writes nothing more', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const given: Given[] = [{ at: [0, 1], content: { length: 1 } }];
    await expect(join(given, 'webm', controller.signal)).rejects.toThrow('enough');
  });
});
