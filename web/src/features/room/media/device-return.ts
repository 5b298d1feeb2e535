import type { DeviceChange } from './device-list.ts';
import type { LocalMedia } from './local-media.ts';

/** What a change of the devices means for the room. `offer`: the user may want to use the new device. */
export type DeviceAnswer = 'nothing' | 'camera-back' | 'microphone-back' | 'offer';

/**
 * Opens a device that has come back, without a question: a camera after the one in use was unplugged or when there was none, a
 * microphone likewise. While the device in use runs, a new one is only offered.
 */
export async function answerDeviceChange(media: LocalMedia, change: DeviceChange): Promise<DeviceAnswer> {
  if (!change.isNew) return 'nothing';
  const { device } = media.view.get();
  if (change.kind === 'camera') {
    if (media.hasPicture) return 'offer';
    if (device.status !== 'lost' && device.status !== 'none') return 'nothing';
    await media.retry();
    return media.hasPicture ? 'camera-back' : 'nothing';
  }
  if (media.hasSound) return 'offer';
  // Who has not been asked yet is asked with the camera.
  if (!media.decided) return 'nothing';
  return (await media.retrySound()) && media.hasSound ? 'microphone-back' : 'nothing';
}

/** The user has allowed the devices in the browser's settings: what was refused is opened. */
export async function answerPermission(media: LocalMedia): Promise<void> {
  if (media.view.get().device.status === 'refused') await media.retry();
  else if (media.decided && !media.hasSound) await media.retrySound();
}
