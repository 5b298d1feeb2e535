// @vitest-environment node
import {
  BlobSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Output,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { expect, test } from 'vitest';
import { seekableWebm } from './seekable-webm.ts';

/** Ids of elements in a file, in hexadecimal. */
const ids = { segment: '18538067', cluster: '1f43b675', cues: '1c53bb6b' } as const;

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

/** 40 s with a key frame every 20 s, in clusters of unknown size and without an index, as browsers record it. */
async function record(): Promise<Blob> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat({ appendOnly: true }), target });
  const [video, audio] = [new EncodedVideoPacketSource('vp8'), new EncodedAudioPacketSource('opus')];
  output.addVideoTrack(video);
  output.addAudioTrack(audio);
  await output.start();
  const picture = { codec: 'vp8', codedWidth: 64, codedHeight: 48 };
  const sound = { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1 };
  for (let i = 0; i < 400; i += 1) {
    const kind = i % 200 === 0 ? 'key' : 'delta';
    await video.add(new EncodedPacket(new Uint8Array([1, i % 256]), kind, i / 10, 0.1), { decoderConfig: picture });
    await audio.add(new EncodedPacket(new Uint8Array([2, i % 256]), 'key', i / 10, 0.1), { decoderConfig: sound });
  }
  await output.finalize();
  const all = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  const bytes = all.slice(0, hexOf(all).lastIndexOf(ids.cues) / 2);
  for (const id of [ids.segment, ids.cluster]) forgetSizes(bytes, id);
  return new Blob([bytes], { type: 'video/webm' });
}

/** Gives the elements of this id an unknown size: all bits of the number after the id are set. */
function forgetSizes(bytes: Uint8Array, id: string): void {
  const hex = hexOf(bytes);
  for (let at = hex.indexOf(id); at >= 0; at = hex.indexOf(id, at + 1)) {
    const size = (at + id.length) / 2;
    const length = Math.clz32(bytes[size] ?? 0) - 23;
    bytes[size] = 0xff >> (length - 1);
    bytes.fill(0xff, size + 1, size + length);
  }
}

test('recorded WebM: gets its duration and seek points, keeps all packets, and is the same each time', async () => {
  const recorded = await record();
  expect(hexOf(await bytesOf(recorded))).not.toContain(ids.cues);
  const written = await seekableWebm(recorded);
  expect(written.type).toBe('video/webm');
  expect(hexOf(await bytesOf(written))).toContain(ids.cues);
  // The server knows a repeated upload by its content.
  expect(await bytesOf(await seekableWebm(recorded))).toEqual(await bytesOf(written));
  const input = new Input({ source: new BlobSource(written), formats: [WEBM] });
  // WebM does not say how long the last packet is.
  expect(await input.computeDuration()).toBeCloseTo(39.9, 1);
  for (const track of [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]) {
    if (!track) throw new Error('A track is missing.');
    const marks: (number | undefined)[] = [];
    for await (const { data } of new EncodedPacketSink(track).packets()) marks.push(data[1]);
    expect(marks).toEqual(Array.from({ length: 400 }, (_, i) => i % 256));
  }
});

test('content that is no WebM: is refused', async () => {
  await expect(seekableWebm(new Blob(['not a video'], { type: 'video/webm' }))).rejects.toThrow('unsupported');
});
