import { listRecordings, type Recording } from '@roomside/contract/recordings/calls.ts';
import { StreamTarget, UrlSource } from 'mediabunny';
import { OfflineError } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { joinTrack } from '../room/recording/join-track.ts';
import type { DownloadFile } from './download-file.ts';
import { planSegments } from './track-plan.ts';
import { segmentsOf } from './track-segments.ts';

interface Options {
  readonly appointmentId: number;
  readonly recording: Recording;
  readonly container: 'mp4' | 'webm';
  readonly file: DownloadFile;
  /** Gets the written part, 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/** How often a failed request is repeated, and the delay before, s. */
const retryDelays = [0.5, 1, 2, 4];
/** Of a segment, bytes. */
const maxCacheSize = 8 * 1024 * 1024;

/**
 * Writes the segments of a track into one file. They are read while it is written, a part at a time.
 *
 * @throws as `joinTrack`
 */
export async function downloadTrack({ appointmentId, recording, container, file, onProgress, signal }: Options) {
  const addresses = new Map(recording.blobs.map(({ blobUid, address }) => [blobUid, address]));
  const renew = async () => {
    const { data } = await send(listRecordings, { params: { appointmentId } }, { signal });
    for (const { blobs } of data) for (const { blobUid, address } of blobs) addresses.set(blobUid, address);
  };
  /** Addresses expire while a long track is downloaded. */
  const read = async (id: string, init: RequestInit | undefined): Promise<Response> => {
    const response = await fetch(addresses.get(id) ?? '', init);
    if (response.ok) return response;
    await renew();
    return fetch(addresses.get(id) ?? '', init);
  };
  await joinTrack({
    plan: planSegments(segmentsOf(recording)),
    sourceOf: (id) =>
      new UrlSource(new URL(addresses.get(id) ?? '', location.href), {
        fetchFn: (_url, init) => read(id, init),
        getRetryDelay: (previous, error) => {
          // The sign-in or the track is gone.
          if (!(error instanceof TypeError || error instanceof OfflineError)) return null;
          return retryDelays[previous] ?? null;
        },
        maxCacheSize,
      }),
    container,
    target: new StreamTarget(file.parts, { chunked: true }),
    onProgress,
    signal,
  });
  await file.finish();
}
