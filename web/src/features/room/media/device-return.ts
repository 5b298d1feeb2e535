import type { DeviceChange } from './device-list.ts';
import type { LocalMedia } from './local-media.ts';

/** What a change of the devices means for the room. `offer`: the user may want to use the new device. */
export type DeviceAnswer = 'nothing' | 'camera-back' | 'microphone-back' | 'offer';

/**
 * Answers what happens to the devices, one after another: a webcam with a microphone comes back as two devices, and the request for
 * one would end that for the other.
 */
export class DeviceReturn {
  readonly #media: LocalMedia;
  readonly #onAnswer: (answer: DeviceAnswer, change: DeviceChange) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(media: LocalMedia, onAnswer: (answer: DeviceAnswer, change: DeviceChange) => void) {
    this.#media = media;
    this.#onAnswer = onAnswer;
  }

  changed(change: DeviceChange): Promise<void> {
    const { hasPicture, hasSound } = this.#media;
    return this.#inTurn(async () => {
      this.#onAnswer(await answerDeviceChange(this.#media, change, { hasPicture, hasSound }), change);
    });
  }

  allowed(): Promise<void> {
    return this.#inTurn(() => answerPermission(this.#media));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** What ran when the devices changed. */
type Running = Pick<LocalMedia, 'hasPicture' | 'hasSound'>;

/**
 * Opens a device that has come back, without a question: a camera after the one in use was unplugged or when there was none, a
 * microphone likewise. While the device in use runs, or after the user has continued without a camera, a new one is only offered.
 */
async function answerDeviceChange(media: LocalMedia, change: DeviceChange, before: Running): Promise<DeviceAnswer> {
  if (!change.isNew) return 'nothing';
  const { device } = media.view.get();
  if (change.kind === 'camera') {
    if (before.hasPicture) return media.hasPicture ? 'offer' : 'nothing';
    if (!media.hasPicture) {
      if (device.status === 'without') return 'offer';
      if (device.status !== 'lost' && device.status !== 'none') return 'nothing';
      await media.retry();
    }
    return media.hasPicture ? 'camera-back' : 'nothing';
  }
  if (before.hasSound) return media.hasSound ? 'offer' : 'nothing';
  // Who has not been asked yet is asked with the camera.
  if (!media.decided) return 'nothing';
  return (media.hasSound || (await media.retrySound())) && media.hasSound ? 'microphone-back' : 'nothing';
}

/** The user has allowed the devices in the browser's settings: what was refused, or ended when it was blocked, is opened. */
async function answerPermission(media: LocalMedia): Promise<void> {
  const { status } = media.view.get().device;
  if (status === 'refused' || status === 'lost') await media.retry();
  else if (media.decided && !media.hasSound) await media.retrySound();
}
