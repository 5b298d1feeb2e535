import type { DeviceCheck } from '@roomside/contract/waiting-room/device-check.ts';
import { texts } from './texts.ts';

/** What staff read about a patient's device: what is wrong, or that all works. */
export function wordsForCheck({ camera, microphone, speaker, connection }: DeviceCheck): string {
  const words = texts.check;
  const faults = [
    camera !== 'works' && camera !== 'unknown' && words.noCamera,
    microphone === 'missing' && words.noMicrophone,
    microphone === 'silent' && words.silent,
    speaker === 'silent' && words.noSound,
  ].filter((fault) => fault !== false);
  if (faults.length === 0) return words.fine(words.connection[connection]);
  return [...faults, words.connection[connection]].join(' · ');
}
