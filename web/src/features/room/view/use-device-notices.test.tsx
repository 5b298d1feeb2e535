import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { toast, toastQueue } from '../../../ui/toast.ts';
import { camera, fakeDevices, fakeStream, fakeTrack, refusal, unplug } from '../call/fake-peer-connection.ts';
import type { BlurEnd } from '../media/blur/camera-blur.ts';
import { LocalMedia } from '../media/local-media.ts';
import { useDeviceNotices } from './use-device-notices.ts';
import { turnOnSound } from './use-room-tools.tsx';

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

test('a microphone that is gone: is said with and without a camera, and not to those who have none', async () => {
  const said = () => toastQueue.get().map(({ text }) => text);
  const clear = () => toastQueue.get().forEach(({ key }) => toast.dismiss(key));
  clear();
  const media = new LocalMedia(fakeDevices());
  await media.start();
  renderHook(() => useDeviceNotices(media));
  act(() => unplug(media.microphone));
  expect(said()).toEqual(['Your microphone is off. Others can see you but can’t hear you.']);
  expect(toastQueue.get()[0]?.action?.label).toBe('Turn on');
  clear();
  await act(() => media.retrySound());
  await act(() => media.continueWithout());
  expect(said()).toEqual([]);
  act(() => unplug(media.microphone));
  expect(said()).toEqual(['Your microphone is off. Others can’t hear you.']);
  clear();

  const none = new LocalMedia(
    fakeDevices(() => {
      throw refusal('NotFoundError');
    }),
  );
  await none.start();
  renderHook(() => useDeviceNotices(none));
  await act(() => none.continueWithout());
  expect(said()).toEqual([]);
});

test('microphone in use: the camera runs, and after "Turn on" only what to check is said', async () => {
  for (const { key } of toastQueue.get()) toast.dismiss(key);
  let answer = Promise.withResolvers<MediaStream>();
  const media = new LocalMedia({
    getUserMedia: async (wish = {}) => (wish.audio ? answer.promise : camera(wish)),
  });
  const fail = async () => answer.reject(refusal('NotReadableError'));
  renderHook(() => useDeviceNotices(media));
  const said = () => toastQueue.get().map(({ text }) => text);
  let done = Promise.resolve();
  await act(async () => void (done = media.start()));
  await act(() => Promise.all([fail(), done]));
  expect(said()).toEqual(['Your microphone is off. Others can see you but can’t hear you.']);
  answer = Promise.withResolvers();
  await act(async () => void (done = turnOnSound(media)));
  expect(media.view.get().device.status).toBe('asking');
  await act(() => Promise.all([fail(), done]));
  expect(said()).toEqual([
    'Your microphone couldn’t be turned on. Please check that it’s connected and allowed, and that no other app is using it.',
  ]);
});
