import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { camera, fakeDevices, fakeStream, fakeTrack, refusal, unplug } from '../call/fake-peer-connection.ts';
import type { BlurCamera, BlurEnd } from './blur/camera-blur.ts';
import { sampleOf, testServer } from './connection-test.ts';
import { readChoice } from './device-choice.ts';
import { reportOf } from './device-report.ts';
import { LocalMedia } from './local-media.ts';
import type { VideoWish } from './media-state.ts';
import { defaultResolution, resolutions, wishOf } from './resolutions.ts';

// A chosen device is kept for later visits.
beforeEach(() => localStorage.clear());
afterEach(() => vi.useRealTimers());

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

  test('microphone that cannot start: the camera runs without it', async () => {
    let asked = 0;
    const media = new LocalMedia(
      fakeDevices((wish) => {
        asked += 1;
        if (wish.audio) throw refusal('NotReadableError');
        return camera(wish);
      }),
    );
    await media.start();
    expect(media.view.get().device).toEqual({ status: 'live', sound: false });
    expect(reportOf(media, {})).toMatchObject({ camera: 'works', microphone: 'missing' });
    await media.continueWithout();
    expect(media.view.get().device).toEqual({ status: 'without', sound: false });
    await media.retry();
    expect([media.view.get().device, asked]).toEqual([{ status: 'live', sound: false }, 5]);
  });

  type State = PermissionState;
  const permissionsOf = (states: Record<'camera' | 'microphone', State>) => ({
    query: async ({ name }: PermissionDescriptor) =>
      ({ state: states[name as 'camera' | 'microphone'] }) as PermissionStatus,
  });

  test.each<[camera: State, microphone: State]>([
    ['granted', 'denied'],
    // The system blocks the microphone, and the browser allows it.
    ['granted', 'granted'],
    ['prompt', 'denied'],
  ])('refused with the camera %s and the microphone %s: the camera runs without sound', async (...states) => {
    const [allowed, blocked] = states;
    const media = new LocalMedia(
      fakeDevices((wish) => {
        if (wish.audio) throw refusal('NotAllowedError');
        return camera(wish);
      }),
      undefined,
      undefined,
      permissionsOf({ camera: allowed, microphone: blocked }),
    );
    await media.start();
    expect(media.view.get().device).toEqual({ status: 'live', sound: false });
  });

  test.each<[text: string, permissions: Pick<Permissions, 'query'> | undefined]>([
    ['the browser has no permissions', undefined],
    ['the browser has no such permission', { query: async () => Promise.reject(new TypeError()) }],
    ['the question was closed', permissionsOf({ camera: 'prompt', microphone: 'prompt' })],
    ['both are denied', permissionsOf({ camera: 'denied', microphone: 'denied' })],
  ])('refused, and %s: the user is not asked a second time', async (_text, permissions) => {
    let asked = 0;
    const refuse = () => {
      asked += 1;
      throw refusal('NotAllowedError');
    };
    const media = new LocalMedia(fakeDevices(refuse), undefined, undefined, permissions);
    await media.start();
    expect([media.view.get().device, asked]).toEqual([{ status: 'refused' }, 1]);
  });

  test('refused with the microphone, and stopped while the permission is read: opens nothing', async () => {
    const state = Promise.withResolvers<PermissionStatus>();
    let asked = 0;
    const refuse = () => {
      asked += 1;
      throw refusal('NotAllowedError');
    };
    const media = new LocalMedia(fakeDevices(refuse), undefined, undefined, { query: () => state.promise });
    const started = media.start();
    await expect.poll(() => asked).toBe(1);
    media.stop();
    state.resolve({ state: 'granted' } as PermissionStatus);
    await started;
    expect([media.view.get().device, asked]).toEqual([{ status: 'idle' }, 1]);
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

describe('what was turned off', () => {
  const open = (place = 'P_1:visit') => new LocalMedia(fakeDevices(), undefined, place);
  const isOn = async (media: LocalMedia) => {
    await media.start();
    return [media.mediaState, [media.camera?.enabled, media.microphone?.enabled]];
  };
  const allOn = [{ sound: true, picture: true }, [true, true]];
  const allOff = [{ sound: false, picture: false }, [false, false]];

  test('a reload, or another tab, of the same person in the same visit: is still off', async () => {
    const first = open();
    await first.start();
    first.setMuted(true);
    first.setCameraOff(true);
    expect(await isOn(open())).toEqual(allOff);
    for (const place of ['P_2:visit', 'P_1:another']) expect(await isOn(open(place))).toEqual(allOn);
  });

  test('saved data: stays saved, and video is on again as it was before', async () => {
    const first = open();
    first.setCameraOff(true);
    first.setSavesData(true);
    const second = open();
    expect(second.mediaState.wantsPicture).toBe(false);
    second.setSavesData(false);
    expect(second.view.get()).toMatchObject({ savesData: false, cameraOff: true });
  });

  test('a visit that comes back from another tab: is as it was left there', async () => {
    const first = open();
    await first.start();
    first.stop();
    const second = open();
    second.setMuted(true);
    expect(await isOn(first)).toEqual([{ sound: false, picture: true }, [true, false]]);
    first.stop();
    second.setMuted(false);
    expect(await isOn(first)).toEqual(allOn);
  });

  test('switches after leaving, and after a day: everything is on, and other visits are as before', async () => {
    const [first, other] = [open(), open('D_7:other')];
    for (const media of [first, other]) media.setMuted(true);
    first.forgetSwitches();
    expect(await isOn(open())).toEqual(allOn);
    expect(open('D_7:other').view.get().muted).toBe(true);
    vi.setSystemTime(Date.now() + 25 * 3600_000);
    expect(open('D_7:other').view.get().muted).toBe(false);
    open().setMuted(true);
    expect(localStorage.getItem('room:devices')).not.toContain('other');
  });
});

describe('shared screen', () => {
  const withScreen = (answer: () => MediaStream) => ({ ...fakeDevices(), getDisplayMedia: async () => answer() });

  test('share: sends the screen in place of the camera, and the camera again when the browser stops it', async () => {
    const media = new LocalMedia(withScreen(() => fakeStream(fakeTrack('video'))));
    await media.start();
    const { stream } = media.view.get();
    const camera = media.camera;
    expect(await media.share()).toBe('shared');
    const [screen] = stream?.getVideoTracks() ?? [];
    expect(screen).not.toBe(camera);
    expect(stream?.getVideoTracks()).toHaveLength(1);
    expect(media.mediaState).toEqual({ sound: true, picture: true, screen: true });
    // The camera stays open, so that going back cannot fail.
    expect(media.camera).toBe(camera);
    unplug(screen);
    expect(stream?.getVideoTracks()).toEqual([camera]);
    expect(media.view.get().sharing).toBe(false);
    expect(media.mediaState).toEqual({ sound: true, picture: true });
  });

  test('share: is sent without a camera and with the camera turned off', async () => {
    const media = new LocalMedia(withScreen(() => fakeStream(fakeTrack('video'))));
    await media.start();
    media.setCameraOff(true);
    await media.share();
    expect(media.mediaState.picture).toBe(true);
    media.unshare();
    expect(media.mediaState.picture).toBe(false);
    const none = new LocalMedia({
      ...fakeDevices(() => {
        throw refusal('NotFoundError');
      }),
      getDisplayMedia: async () => fakeStream(fakeTrack('video')),
    });
    await none.start();
    await none.share();
    expect(none.view.get().stream?.getVideoTracks()).toHaveLength(1);
  });

  test('share: a refusal is declined, another error has failed, and the camera goes on', async () => {
    let name = 'NotAllowedError';
    const media = new LocalMedia(
      withScreen(() => {
        throw refusal(name);
      }),
    );
    await media.start();
    expect(await media.share()).toBe('declined');
    name = 'NotReadableError';
    expect(await media.share()).toBe('failed');
    expect(media.view.get().sharing).toBe(false);
    expect(media.mediaState).toEqual({ sound: true, picture: true });
    expect(new LocalMedia(fakeDevices()).canShare).toBe(false);
  });

  test('share: a screen that is picked after the visit has moved to another tab is not captured, also not after "Use here"', async () => {
    const picked = Promise.withResolvers<MediaStream>();
    const media = new LocalMedia({ ...fakeDevices(), getDisplayMedia: () => picked.promise });
    await media.start();
    const result = media.share();
    media.stop();
    await media.start();
    const screen = fakeStream(fakeTrack('video'));
    picked.resolve(screen);
    expect(await result).toBe('stopped');
    expect(screen.getVideoTracks()[0]?.readyState).toBe('ended');
    expect([media.view.get().sharing, media.mediaState.screen]).toEqual([false, undefined]);
    expect(media.view.get().stream?.getVideoTracks()).toEqual([media.camera]);
  });

  test('share: a picker that is closed or fails after the visit has moved asks and reports nothing', async () => {
    const picked = Promise.withResolvers<MediaStream>();
    const media = new LocalMedia({ ...fakeDevices(), getDisplayMedia: () => picked.promise });
    await media.start();
    const result = media.share();
    media.stop();
    picked.reject(refusal('NotAllowedError'));
    expect(await result).toBe('stopped');
  });
});

describe('stopped media', () => {
  test('share, retry, retrySound, continueWithout and choose: open nothing until the next start', async () => {
    let asked = 0;
    const open = (wish: MediaStreamConstraints = {}) => {
      asked += 1;
      return Promise.resolve(camera(wish));
    };
    const media = new LocalMedia({ getUserMedia: open, getDisplayMedia: () => open({ video: true }) });
    await media.start();
    media.stop();
    asked = 0;
    // A notice or a dialog of the visit may still be open.
    await media.retry();
    await media.retrySound();
    await media.continueWithout();
    expect(await media.share()).toBe('stopped');
    expect(await media.choose('camera', 'back')).toBe(true);
    expect([asked, media.view.get().device]).toEqual([0, { status: 'idle' }]);
    const wishes: MediaStreamConstraints[] = [];
    const later = new LocalMedia(fakeDevices((wish) => (wishes.push(wish), camera(wish))));
    await later.start();
    expect(wishes[0]?.video).toMatchObject({ deviceId: { ideal: 'back' } });
  });

  test.each(['choose', 'resize'] as const)('%s whose camera cannot be opened: no other one is opened', async (how) => {
    const answer = Promise.withResolvers<MediaStream>();
    const asked: MediaStreamConstraints[] = [];
    const media = new LocalMedia({
      getUserMedia: async (wish = {}) => {
        asked.push(wish);
        if (asked.length === 1) return camera(wish);
        // Works only while the present one is closed: the second request of choose.
        if (how === 'choose' && asked.length === 2) throw refusal('NotReadableError');
        return answer.promise;
      },
    });
    await media.start();
    const done = how === 'choose' ? media.choose('camera', 'back') : media.resize(wishOf(resolutions[2]));
    await expect.poll(() => asked.length).toBe(how === 'choose' ? 3 : 2);
    const before = asked.length;
    media.stop();
    answer.reject(refusal('NotReadableError'));
    await done;
    expect(asked).toHaveLength(before);
    expect(media.view.get()).toMatchObject({ device: { status: 'idle' }, stream: undefined });
  });

  test('a request that ends as there is no such device: is not repeated with fewer devices', async () => {
    const answer = Promise.withResolvers<MediaStream>();
    let asked = 0;
    const media = new LocalMedia({ getUserMedia: () => ((asked += 1), answer.promise) });
    const started = media.start();
    media.stop();
    answer.reject(refusal('NotFoundError'));
    await started;
    expect(asked).toBe(1);
  });
});

describe('choosing a device', () => {
  test('choose: replaces the camera and keeps the microphone', async () => {
    const asked: MediaStreamConstraints[] = [];
    const media = new LocalMedia(
      fakeDevices((wish) => {
        asked.push(wish);
        return camera(wish);
      }),
    );
    await media.start();
    const { camera: first, microphone } = media;
    expect(await media.choose('camera', 'back')).toBe(true);
    expect(asked.at(-1)).toEqual({ video: expect.objectContaining({ deviceId: { exact: 'back' } }) });
    expect(media.camera).not.toBe(first);
    expect(first?.readyState).toBe('ended');
    expect(media.microphone).toBe(microphone);
    expect(media.view.get().device).toEqual({ status: 'live', sound: true });
  });

  test('choose: opens a camera again that works only while the other one is closed, and keeps the first when none works', async () => {
    let works = true;
    let inUse: MediaStreamTrack | undefined;
    const media = new LocalMedia(
      fakeDevices((wish) => {
        const isOther = typeof wish.video === 'object' && JSON.stringify(wish.video.deviceId) === '{"exact":"back"}';
        if (isOther && (!works || inUse?.readyState === 'live')) throw refusal('NotReadableError');
        const stream = camera(wish);
        inUse = stream.getVideoTracks()[0];
        return stream;
      }),
    );
    await media.start();
    expect(await media.choose('camera', 'back')).toBe(true);
    expect(media.hasPicture).toBe(true);
    works = false;
    expect(await media.choose('camera', 'back')).toBe(false);
    expect(media.hasPicture).toBe(true);
    expect(media.hasSound).toBe(true);
  });
});

test('microphone: silenced by the system is not sent, until the system gives it back', async () => {
  const media = new LocalMedia(fakeDevices());
  await media.start();
  const track = media.microphone;
  Object.assign(track ?? {}, { muted: true });
  track?.dispatchEvent(new Event('mute'));
  expect(media.view.get().interrupted).toBe(true);
  expect(media.mediaState.sound).toBe(false);
  Object.assign(track ?? {}, { muted: false });
  track?.dispatchEvent(new Event('unmute'));
  expect(media.mediaState.sound).toBe(true);
});

test('camera: paused by the system is shown as off, until the system gives it back or it is unplugged', async () => {
  const media = new LocalMedia(fakeDevices());
  await media.start();
  const pause = (muted: boolean) => {
    const { camera: track } = media;
    Object.assign(track ?? {}, { muted });
    track?.dispatchEvent(new Event(muted ? 'mute' : 'unmute'));
  };
  pause(true);
  expect(media.view.get()).toMatchObject({ cameraInterrupted: true, interrupted: false, cameraOff: false });
  expect(media.mediaState).toEqual({ sound: true, picture: false });
  pause(false);
  expect(media.mediaState).toEqual({ sound: true, picture: true });
  pause(true);
  unplug(media.camera);
  expect(media.view.get().cameraInterrupted).toBe(false);
});

test('resize: holds for the next camera @CONST-5', async () => {
  const asked: MediaStreamConstraints[] = [];
  const media = new LocalMedia(
    fakeDevices((wish) => {
      asked.push(wish);
      return camera(wish);
    }),
  );
  await media.start();
  expect(asked[0]?.video).toEqual({ width: { ideal: 640 }, height: { ideal: 480 }, facingMode: 'user' });
  const first = media.camera;
  await media.resize({ width: { ideal: 1280 }, height: { ideal: 720 } });
  // The running camera could not become larger, so it was opened again.
  expect(media.camera).not.toBe(first);
  unplug(media.camera);
  await media.retry();
  expect(asked.at(-1)?.video).toEqual({ width: { ideal: 1280 }, height: { ideal: 720 }, facingMode: 'user' });
});

describe('resize during another request', () => {
  const [small, hd, full] = [resolutions[0], resolutions[2], resolutions[3]].map(wishOf) as [
    VideoWish,
    VideoWish,
    VideoWish,
  ];

  /** Cameras that become smaller, but not larger than they were opened. Requests after the first wait for `next`. */
  function buildCameras() {
    const waiting: { wish: MediaStreamConstraints; answer: PromiseWithResolvers<void> }[] = [];
    let isHeld = false;
    const widthOf = (wish: unknown) => (wish as { width?: { ideal: number } }).width?.ideal ?? 0;
    const media = new LocalMedia({
      getUserMedia: async (wish = {}) => {
        if (isHeld) {
          const answer = Promise.withResolvers<void>();
          waiting.push({ wish, answer });
          await answer.promise;
        }
        const stream = camera(wish);
        const [track] = stream.getVideoTracks();
        if (!track) return stream;
        const largest = widthOf(wish.video);
        let width = largest;
        const deviceId = (wish.video as { deviceId?: { exact: string } }).deviceId?.exact ?? 'front';
        Object.assign(track, {
          getSettings: () => ({ width, deviceId }),
          applyConstraints: async (next: unknown) => void (width = Math.min(widthOf(next), largest)),
        });
        return stream;
      },
    });
    const isAsked = () => expect.poll(() => waiting.length).toBeGreaterThan(0);
    const next = async (answer: (answer: PromiseWithResolvers<void>) => void = ({ resolve }) => resolve()) => {
      await isAsked();
      const first = waiting.shift();
      if (first) answer(first.answer);
      return first?.wish;
    };
    const width = () => media.camera?.getSettings().width;
    return { media, waiting, isAsked, next, width, hold: () => (isHeld = true) };
  }

  test.each([
    ['smaller one', [small], 320, 1],
    ['larger one', [full], 1920, 2],
    ['smaller and then a larger one', [small, full], 1920, 2],
  ] as const)(
    'resize to a %s during an enlargement: the last size is used',
    async (_what, wishes, expected, requests) => {
      const { media, waiting, isAsked, next, width, hold } = buildCameras();
      await media.start();
      hold();
      const done = [media.resize(hd)];
      await isAsked();
      done.push(...wishes.map((wish) => media.resize(wish)));
      for (let at = 0; at < requests; at++) await next();
      await Promise.all(done);
      expect([width(), waiting.length]).toEqual([expected, 0]);
    },
  );

  test.each([
    ['smaller', small, 320],
    ['larger', hd, 1280],
  ] as const)(
    'resize to a %s size while the camera is asked for: is used when it is open',
    async (_what, wish, expected) => {
      const { media, waiting, next, width, hold } = buildCameras();
      hold();
      const started = media.start();
      const done = media.resize(wish);
      await next();
      await started;
      if (expected > defaultResolution.width) await next();
      await done;
      expect([width(), waiting.length]).toEqual([expected, 0]);
    },
  );

  test.each(['camera', 'microphone'] as const)('resize while another %s is opened: both are used', async (kind) => {
    const { media, waiting, next, width, hold } = buildCameras();
    await media.start();
    const { microphone } = media;
    hold();
    const chosen = media.choose(kind, 'other');
    const done = media.resize(hd);
    expect(await next()).toMatchObject({ [kind === 'camera' ? 'video' : 'audio']: { deviceId: { exact: 'other' } } });
    expect(await chosen).toBe(true);
    await next();
    await done;
    expect([width(), waiting.length]).toEqual([1280, 0]);
    if (kind === 'microphone') expect(media.microphone).not.toBe(microphone);
    else expect(media.camera?.getSettings().deviceId).toBe('other');
  });

  test.each([
    ['chosen', (media: LocalMedia) => media.choose('microphone', 'other')],
    ['connected', (media: LocalMedia) => media.retrySound()],
  ])('a microphone that is %s during an enlargement: both are used', async (_what, act) => {
    const { media, isAsked, next, width, hold } = buildCameras();
    await media.start();
    const { microphone } = media;
    hold();
    const done = media.resize(hd);
    await isAsked();
    const acted = act(media);
    expect(await next()).toHaveProperty('video');
    expect(await next()).toHaveProperty('audio');
    await Promise.all([done, acted]);
    expect([media.hasPicture, width(), media.hasSound]).toEqual([true, 1280, true]);
    expect(media.microphone).not.toBe(microphone);
  });

  test('a camera that is chosen during an enlargement and cannot be opened: one is open in the end', async () => {
    const { media, isAsked, next, hold, width } = buildCameras();
    await media.start();
    hold();
    const done = media.resize(hd);
    await isAsked();
    const chosen = media.choose('camera', 'other');
    await next();
    const fails = ({ reject }: PromiseWithResolvers<void>) => reject(refusal('NotReadableError'));
    await next(fails);
    await next(fails);
    await next();
    expect(await chosen).toBe(false);
    await done;
    expect([media.hasPicture, width()]).toEqual([true, 1280]);
  });
});

test('choose: of two cameras one after another, the last one is kept, in whichever order they open', async () => {
  const answers: PromiseWithResolvers<void>[] = [];
  const media = new LocalMedia({
    getUserMedia: async (wish = {}) => {
      if (wish.audio) return camera(wish);
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      await answer.promise;
      return camera(wish);
    },
  });
  await media.start();
  const chosen = [media.choose('camera', 'first'), media.choose('camera', 'second')];
  answers[1]?.resolve();
  await chosen[1];
  const last = media.camera;
  answers[0]?.resolve();
  await Promise.all(chosen);
  expect(media.camera).toBe(last);
  expect(readChoice().camera).toBe('second');
});

test('report: says what a device has, without claims about what was not checked', async () => {
  const media = new LocalMedia(fakeDevices());
  expect(reportOf(media, {})).toEqual({
    camera: 'unknown',
    microphone: 'unknown',
    speaker: 'unknown',
    connection: 'unknown',
  });
  await media.start();
  const all = { voice: true, sound: true, connection: { loss: 0, roundTripMs: 40 } };
  expect(reportOf(media, all)).toEqual({ camera: 'works', microphone: 'works', speaker: 'works', connection: 'good' });
  expect(reportOf(media, { voice: false, sound: false, connection: null })).toEqual({
    camera: 'works',
    microphone: 'silent',
    speaker: 'silent',
    connection: 'failed',
  });
  unplug(media.microphone);
  expect(reportOf(media, {}).microphone).toBe('missing');
  unplug(media.camera);
  expect(reportOf(media, {}).camera).toBe('missing');
  const refused = new LocalMedia(
    fakeDevices(() => {
      throw refusal('NotAllowedError');
    }),
  );
  await refused.start();
  expect(reportOf(refused, {})).toMatchObject({ camera: 'refused' });
});

test('connection: loss and the median round trip; none without an answer', () => {
  expect(sampleOf([30, 10, 20], 4)).toEqual({ loss: 0.25, roundTripMs: 20 });
  expect(sampleOf([], 4)).toBeUndefined();
});

test('connection without a relay: small requests to the server are measured; a server out of reach ends it after four', async () => {
  let time = 0;
  let asked = 0;
  const reach = (answers: (request: number) => boolean) => async () => {
    asked += 1;
    time += 40;
    return answers(asked);
  };
  const now = () => time;
  // The first request is not counted; two of the others are lost.
  expect(await testServer({ reach: reach((request) => request !== 5 && request !== 9), now })).toEqual({
    loss: 1 - 18 / 20,
    roundTripMs: 40,
  });
  asked = 0;
  expect(await testServer({ reach: reach(() => false), now })).toBeUndefined();
  expect(asked).toBe(4);
});

describe('background blur', () => {
  /** Blurs in the place of the worker; `end` says that it cannot go on. */
  function fakeBlur() {
    const made: { of: MediaStreamTrack; track: MediaStreamTrack; end: (why: BlurEnd) => void }[] = [];
    const blur: BlurCamera = (of, end) => {
      const [track = fail()] = fakeStream(fakeTrack('video')).getVideoTracks();
      made.push({ of, track, end });
      return { track, stop: () => track.stop() };
    };
    return { made, blur };
  }
  const sent = (media: LocalMedia) => media.view.get().stream?.getVideoTracks();

  test('blur that is on: its track is sent in place of the camera, follows the camera switch, and the choice is kept', async () => {
    const { made, blur } = fakeBlur();
    const media = new LocalMedia(fakeDevices(), blur);
    await media.start();
    expect([media.canBlur, sent(media)]).toEqual([true, [media.camera]]);
    media.setBlur(true);
    expect(made).toHaveLength(1);
    expect(made[0]?.of).toBe(media.camera);
    expect(sent(media)).toEqual([made[0]?.track]);
    expect(media.cameraImage).toBe(made[0]?.track);
    media.setCameraOff(true);
    expect([media.camera?.enabled, made[0]?.track.enabled]).toEqual([false, false]);
    media.setCameraOff(false);

    await media.choose('camera', 'other');
    expect(made).toHaveLength(2);
    expect(made[0]?.track.readyState).toBe('ended');
    expect(made[1]?.of).toBe(media.camera);
    expect(sent(media)).toEqual([made[1]?.track]);

    const later = new LocalMedia(fakeDevices(), blur);
    const seen: unknown[] = [];
    later.view.subscribe(() => seen.push(sent(later)?.[0]));
    await later.start();
    // The background is not sent for a moment either.
    expect(seen.filter((track) => track !== undefined && track !== made[2]?.track)).toEqual([]);
    later.setBlur(false);
    expect(sent(later)).toEqual([later.camera]);
    expect(made[2]?.track.readyState).toBe('ended');
  });

  test.each(['slow', 'failed'] as const)(
    '%s: the camera is off before the background would be seen, and on again without the blur',
    async (why) => {
      const { made, blur } = fakeBlur();
      const media = new LocalMedia(fakeDevices(), blur);
      await media.start();
      media.setBlur(true);
      const shown: (readonly [picture: boolean, blur: boolean])[] = [];
      const stop = media.view.subscribe(() => shown.push([media.mediaState.picture, media.view.get().blur]));
      made[0]?.end(why);
      stop();
      expect(shown).not.toContainEqual([true, false]);
      expect(media.view.get()).toMatchObject({ blur: false, blurEnd: why, cameraOff: true });
      media.setCameraOff(false);
      expect([sent(media), media.mediaState.picture]).toEqual([[media.camera], true]);
      media.setBlur(true);
      expect(media.view.get().blurEnd).toBeUndefined();
      // The first one has nothing to say any more.
      made[0]?.end(why);
      expect(media.view.get().blur).toBe(made.length === 2);
    },
  );

  test('ends while video is off to save data: the camera stays off when video is turned on again', async () => {
    const { made, blur } = fakeBlur();
    const media = new LocalMedia(fakeDevices(), blur, 'P_1:visit');
    await media.start();
    media.setBlur(true);
    media.setSavesData(true);
    made[0]?.end('failed');
    expect(media.view.get()).toMatchObject({ savesData: true, blurEnd: 'failed' });
    const reloaded = new LocalMedia(fakeDevices(), blur, 'P_1:visit');
    await reloaded.start();
    for (const one of [media, reloaded]) {
      one.setSavesData(false);
      expect([one.mediaState.picture, one.camera?.enabled]).toEqual([false, false]);
    }
    media.setCameraOff(false);
    expect(media.mediaState.picture).toBe(true);
  });

  test('a camera with its own blur: is asked for it, also after another size', async () => {
    const { made, blur } = fakeBlur();
    const asked: unknown[] = [];
    const own = (): MediaStream =>
      fakeStream(
        Object.assign(fakeTrack('video'), {
          getCapabilities: () => ({ backgroundBlur: [true, false] }),
          applyConstraints: async (wish: object) => void asked.push('backgroundBlur' in wish && wish.backgroundBlur),
        }),
      );
    const media = new LocalMedia(fakeDevices(own), blur);
    await media.start();
    media.setBlur(true);
    expect(sent(media)).toEqual([media.camera]);
    await media.resize(media.view.get().wish);
    media.setBlur(false);
    expect(made).toEqual([]);
    // For the size the camera is opened again.
    expect(asked).toEqual([true, true, true, false].map((ideal) => ({ ideal })));
  });

  test('a browser that cannot blur, with a camera that cannot: does not offer it', async () => {
    const media = new LocalMedia(fakeDevices());
    await media.start();
    expect(media.canBlur).toBe(false);
    media.setBlur(true);
    expect(sent(media)).toEqual([media.camera]);
  });
});

function fail(): never {
  throw new Error('There is no track.');
}
