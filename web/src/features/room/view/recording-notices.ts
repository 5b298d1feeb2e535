import { wordsFor } from '../../../api/errors.ts';
import { toast } from '../../../ui/toast.ts';
import type { RecordingNotice } from '../recording/room-recording.ts';
import { wordsForUpload } from '../recording/unreadable-segment.ts';
import { texts } from './recording-texts.ts';

const words = texts.notices;

/** Says what happens with the recording of a room. */
export function tellRecording(notice: RecordingNotice): void {
  switch (notice.type) {
    case 'started':
    case 'stopped':
      return void toast.info(words[notice.type]);
    case 'uploaded':
      return void toast.success(words.uploaded);
    case 'upload-refused':
      return void toast.error(words.uploadRefused(wordsForUpload(notice.error)), { across: 'all' });
    case 'unsupported':
      return void toast.error(words.unsupported);
    case 'full':
    case 'failed':
      return void toast.error(words[notice.type], { duration: 30_000, across: 'all' });
    case 'refused':
      return void toast.warning(notice.goesOn ? words.refusedAlone(notice.name) : words.refused(notice.name), {
        duration: 10_000,
      });
    case 'error':
      return void toast.error(wordsFor(notice.error));
  }
}
