import type { Recording } from '@roomside/contract/recordings/calls.ts';
import type { TimelineSegment } from './timeline.ts';

/** The recorded periods of a track. */
export const segmentsOf = ({ blobs }: Recording): TimelineSegment[] =>
  blobs.map(({ blobUid, started, stopped }) => ({
    id: blobUid,
    start: Date.parse(started),
    stop: Date.parse(stopped),
  }));

/** The container of a track in one file: that of its first segment, whose content fits into it. */
export const containerOf = ({ blobs }: Recording): 'mp4' | 'webm' =>
  blobs[0]?.mediaType.endsWith('/webm') ? 'webm' : 'mp4';

/** The name of a track in one file, as those of its segments: 'recording-2026-11-22-140500-patient.mp4', in UTC. */
export function fileNameOf(recording: Recording): string {
  const { blobs, user } = recording;
  const at = new Date(blobs[0]?.started ?? 0).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `recording-${at}-${(user?.lastName ?? 'patient').toLowerCase()}.${containerOf(recording)}`;
}
