import { describe, expect, test } from 'vitest';
import { camera, fakeDevices, refusal, unplug } from '../call/fake-peer-connection.ts';
import { LocalMedia } from './local-media.ts';

describe('camera and microphone', () => {
  test.each([
    ['NotAllowedError', 'refused'],
    ['NotFoundError', 'none'],
    ['NotReadableError', 'busy'],
    ['TypeError', 'unsupported'],
  ])('%s is %s, and Retry asks again', async (name, status) => {
    let failing = true;
    const media = new LocalMedia(
      fakeDevices((wish) => {
        if (failing) throw refusal(name);
        return camera(wish);
      }),
    );
    await media.start();
    expect(media.view.get().device).toEqual({ status });
    failing = false;
    await media.retry();
    expect(media.view.get().device).toEqual({ status: 'live', sound: true });
  });

  test('media: runs with a camera only, and without any device', async () => {
    const noSound = new LocalMedia(
      fakeDevices((wish) => {
        if (wish.audio) throw refusal('NotFoundError');
        return camera(wish);
      }),
    );
    await noSound.start();
    expect(noSound.view.get().device).toEqual({ status: 'live', sound: false });
    expect(noSound.mediaState).toEqual({ sound: false, picture: true });
    await noSound.continueWithout();
    expect(noSound.view.get().device).toEqual({ status: 'without', sound: false });
    const nowhere = new LocalMedia(undefined);
    await nowhere.start();
    expect(nowhere.view.get().device).toEqual({ status: 'unsupported' });
  });

  test('mute: disables the track; an ended track is a lost camera', async () => {
    const media = new LocalMedia(fakeDevices());
    await media.start();
    media.setMuted(true);
    media.setCameraOff(true);
    const { stream } = media.view.get();
    expect(stream?.getTracks().map(({ enabled }) => enabled)).toEqual([false, false]);
    expect(media.mediaState).toEqual({ sound: false, picture: false });
    unplug(stream?.getVideoTracks()[0]);
    expect(media.view.get().device).toEqual({ status: 'lost' });
    await media.retry();
    expect(media.view.get().stream).toBe(stream);
    // What the user turned off stays off.
    expect(stream?.getTracks().map(({ enabled }) => enabled)).toEqual([false, false]);
  });

  test('lost camera: the microphone keeps running while the camera is asked for or skipped', async () => {
    const answer = Promise.withResolvers<void>();
    const asked: MediaStreamConstraints[] = [];
    let working = true;
    const media = new LocalMedia({
      getUserMedia: async (wish = {}) => {
        asked.push(wish);
        if (!working) await answer.promise;
        if (!working) throw refusal('NotReadableError');
        return camera(wish);
      },
    });
    await media.start();
    const [microphone] = media.view.get().stream?.getAudioTracks() ?? [];
    working = false;
    unplug(media.view.get().stream?.getVideoTracks()[0]);
    expect(media.mediaState).toEqual({ sound: true, picture: false });
    const again = media.retry();
    expect(media.view.get().device).toEqual({ status: 'asking' });
    expect(media.mediaState).toEqual({ sound: true, picture: false });
    answer.resolve();
    await again;
    expect(media.view.get().device).toEqual({ status: 'busy' });
    await media.continueWithout();
    expect(media.view.get().device).toEqual({ status: 'without', sound: true });
    working = true;
    await media.retry();
    expect(media.view.get().device).toEqual({ status: 'live', sound: true });
    expect(media.view.get().stream?.getAudioTracks()).toEqual([microphone]);
    expect(asked.map((wish) => Object.keys(wish))).toEqual([['video', 'audio'], ['video'], ['video']]);
  });

  test('lost microphone: is reported immediately, with or without a camera, and can be turned on again', async () => {
    const media = new LocalMedia(fakeDevices());
    await media.start();
    let reports = 0;
    media.view.subscribe(() => reports++);
    unplug(media.view.get().stream?.getVideoTracks()[0]);
    unplug(media.view.get().stream?.getAudioTracks()[0]);
    expect(reports).toBe(2);
    expect(media.mediaState).toEqual({ sound: false, picture: false });
    await media.continueWithout();
    expect(media.view.get().device).toEqual({ status: 'without', sound: true });
    unplug(media.view.get().stream?.getAudioTracks()[0]);
    expect(media.view.get().device).toEqual({ status: 'without', sound: false });
    await media.retrySound();
    expect(media.mediaState).toEqual({ sound: true, picture: false });
  });

  test('no device available: the user still enters the room', async () => {
    const media = new LocalMedia(undefined);
    await media.start();
    await media.continueWithout();
    expect(media.view.get().device).toEqual({ status: 'without', sound: false });
  });
});
