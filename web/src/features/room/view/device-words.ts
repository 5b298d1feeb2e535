import type { DeviceChange } from '../media/device-list.ts';
import type { DeviceAnswer } from '../media/device-return.ts';
import { texts } from '../texts.ts';

const words = texts.notices;

/** What the user reads when a device comes back or is connected; undefined for nothing. */
export function wordsForDevice(answer: DeviceAnswer, { kind, device }: DeviceChange): string | undefined {
  switch (answer) {
    case 'camera-back':
      return words.cameraBack;
    case 'microphone-back':
      return words.microphoneBack;
    case 'offer':
      if (device.label) return words.newDevice(device.label);
      return kind === 'camera' ? words.newCamera : words.newMicrophone;
    case 'nothing':
      return undefined;
  }
}
