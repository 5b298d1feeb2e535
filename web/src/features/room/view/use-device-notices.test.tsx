import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { toastQueue } from '../../../ui/toast.ts';
import { fakeDevices, fakeStream, fakeTrack } from '../call/fake-peer-connection.ts';
import type { BlurEnd } from '../media/blur/camera-blur.ts';
import { LocalMedia } from '../media/local-media.ts';
import { useDeviceNotices } from './use-device-notices.ts';

test('a device that is too slow for the blur: says that it was switched off, each time', async () => {
  let end: ((why: BlurEnd) => void) | undefined;
  const media = new LocalMedia(fakeDevices(), (_camera, onEnd) => {
    end = onEnd;
    const [track] = fakeStream(fakeTrack('video')).getVideoTracks();
    if (!track) throw new Error('There is no track.');
    return { track, stop: () => track.stop() };
  });
  await media.start();
  renderHook(() => useDeviceNotices(media));
  expect(toastQueue.get()).toEqual([]);
  for (const why of ['slow', 'failed', 'slow'] as const) {
    act(() => media.setBlur(true));
    act(() => end?.(why));
    expect(toastQueue.get()).toMatchObject([
      {
        kind: 'warning',
        text:
          why === 'slow'
            ? 'Background blur was switched off because this device is too slow. Your camera is off: turn it on to be seen without blur.'
            : 'Background blur stopped working on this device. Your camera is off: turn it on to be seen without blur.',
      },
    ]);
  }
});
