/**
 * Formats of a recording, best first: fragmented MP4 has a duration and can be searched as it is; WebM is repaired before the upload
 * (Firefox); Safari records MP4 with its own codecs.
 */
const videoTypes = [
  'video/mp4;codecs=vp9,opus',
  'video/webm;codecs=vp9,opus',
  'video/webm;codecs=vp8,opus',
  'video/mp4;codecs=avc1,mp4a.40.2',
  'video/mp4',
] as const;
const audioTypes = ['audio/mp4;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4'] as const;

type IsSupported = (type: string) => boolean;

/** Whether this browser can record a visit (STATE-18, ERROR-2). */
export function canRecordHere(): boolean {
  return (
    typeof MediaRecorder !== 'undefined' &&
    typeof indexedDB !== 'undefined' &&
    typeof crypto.subtle !== 'undefined' &&
    videoTypes.some((type) => MediaRecorder.isTypeSupported(type))
  );
}

/** The format for the live tracks of a stream; undefined without one, or when the browser has none. */
export function mediaTypeFor(stream: MediaStream, isSupported: IsSupported): string | undefined {
  const live = stream.getTracks().filter(({ readyState }) => readyState === 'live');
  if (live.length === 0) return undefined;
  return (live.some(({ kind }) => kind === 'video') ? videoTypes : audioTypes).find(isSupported);
}
