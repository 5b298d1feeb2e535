import { uploadRecording } from '@roomside/contract/recordings/calls.ts';
import { sendUpload } from '../../../api/send-upload.ts';
import type { Segment, SegmentStore } from './segment-store.ts';

/** CALL-13: uploads a segment with its digest. */
export async function uploadSegment(
  store: Pick<SegmentStore, 'read'>,
  segment: Segment,
  onProgress: (sent: number) => void,
): Promise<void> {
  const body = await bodyOf(segment, await store.read(segment));
  const digest = await crypto.subtle.digest('SHA-256', await body.arrayBuffer());
  const { appointmentUid, roleId, userId, device, id: serial } = segment;
  await sendUpload(
    uploadRecording,
    {
      query: {
        appointmentUid,
        roleId,
        userId,
        device,
        serial,
        started: new Date(segment.started).toISOString(),
        stopped: new Date(segment.stopped ?? segment.lastAt).toISOString(),
      },
      content: body,
    },
    { sha256: btoa(String.fromCharCode(...new Uint8Array(digest))), onProgress },
  );
}

/**
 * The file of a segment. WebM of a recorder has neither a duration nor seek points, and a browser cannot play it from the middle, so it is
 * written again with both. What cannot be read is uploaded as it was recorded.
 */
async function bodyOf(segment: Segment, content: readonly ArrayBuffer[]): Promise<Blob> {
  const type = segment.mediaType.split(';')[0] ?? '';
  const blob = new Blob([...content], { type });
  if (!type.endsWith('/webm')) return blob;
  const { seekableWebm } = await import('./seekable-webm.ts');
  return seekableWebm(blob).catch(() => blob);
}
