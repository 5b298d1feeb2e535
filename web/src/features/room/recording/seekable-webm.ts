import { BlobSource, BufferTarget } from 'mediabunny';
import { joinTrack } from './join-track.ts';

/** Writes the WebM of a recorder again, without encoding: with its duration and seek points. Throws as `joinTrack`. */
export async function seekableWebm(recorded: Blob): Promise<Blob> {
  const target = new BufferTarget();
  await joinTrack({
    plan: [{ id: '', from: 0, until: Number.POSITIVE_INFINITY }],
    sourceOf: () => new BlobSource(recorded),
    container: 'webm',
    target,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  if (!target.buffer) throw new Error('The file is empty.');
  return new Blob([target.buffer], { type: recorded.type });
}
