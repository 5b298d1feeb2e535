import { describe, expect, test } from 'vitest';
import { camera, fakeDevices, refusal, unplug } from './fake-peer-connection.ts';
import { LocalMedia } from './local-media.ts';
import { timerView } from './room-timer.ts';
import { helpToAllow } from './texts.ts';
import { chatGivesWay, gridColumns, initialsOf } from './video-grid.ts';
import { gateOf } from './visit-gate.ts';

describe('the visit timer', () => {
  const start = Date.parse('2026-11-21T14:00:00Z');
  const at = (seconds: number, more = {}) =>
    timerView({ startsAt: start, joinedAt: start - 600_000, limit: 30, now: start + seconds * 1000, ...more });

  test('counts down from the limit, orange in the last 60 s, red when overdue', () => {
    expect(at(0)).toEqual({ text: '30:00', state: 'left' });
    expect(at(29 * 60 - 1)).toEqual({ text: '1:01', state: 'left' });
    expect(at(29 * 60)).toEqual({ text: '1:00', state: 'last' });
    expect(at(30 * 60)).toEqual({ text: '0:00', state: 'last' });
    expect(at(30 * 60 + 65)).toEqual({ text: '1:05', state: 'over' });
    expect(at(0, { limit: 90 })).toEqual({ text: '1:30:00', state: 'left' });
  });

  test('visit timer: counts from the later of start and join, waits before it, and shows elapsed time without a limit', () => {
    expect(at(600, { joinedAt: start + 540_000 })).toEqual({ text: '29:00', state: 'left' });
    expect(at(-300)).toEqual({ text: '30:00', state: 'left' });
    expect(at(3_725, { limit: 0 })).toEqual({ text: '1:02:05', state: 'plain' });
  });
});

test('grid columns: one per peer up to 3, two for 4, three for more', () => {
  expect([0, 1, 2, 3, 4, 5, 9].map(gridColumns)).toEqual([1, 1, 2, 3, 2, 3, 3]);
});

test('chat: closes for the videos on a small screen or with more than two peers', () => {
  const at = (smallScreen: boolean, peers: number, hasFeed = true) => chatGivesWay({ smallScreen, peers, hasFeed });
  expect([at(false, 1), at(false, 2), at(false, 3), at(true, 1), at(true, 0, false)]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('initials: are the first letters of both names', () => {
  expect(['Olivia O’Brien', 'Ann de la Cruz', 'Zoé', ''].map(initialsOf)).toEqual(['OO', 'AC', 'Z', '']);
});

test('gate of a visit: is payment, early, cancelled, ended or open', () => {
  const now = Date.parse('2026-11-21T14:00:00Z');
  const visit = { startDate: '2026-11-21T15:00:00Z', cancelled: false, ended: false, chargeable: false };
  const at = (more: object, isPatient = true) => gateOf({ ...visit, ...more } as never, isPatient, now);
  expect(at({})).toBe('open');
  expect(at({ startDate: '2026-11-21T15:00:01Z' })).toBe('early');
  expect(at({ startDate: '2026-11-21T15:00:01Z' }, false)).toBe('open');
  expect(at({ chargeable: true })).toBe('payment');
  expect(at({ chargeable: true, ended: true })).toBe('ended');
  expect(at({ chargeable: true, ended: true }, false)).toBe('open');
  expect(at({ cancelled: true }, false)).toBe('cancelled');
});

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

test('help for a refused camera: names the place in the browser', () => {
  expect(helpToAllow('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Safari/604.1')).toContain('Website Settings');
  expect(helpToAllow('Mozilla/5.0 (X11) Gecko/20100101 Firefox/140.0')).toContain('Firefox');
  expect(helpToAllow('Mozilla/5.0 (Linux; Android 15) Chrome/153.0 Mobile Safari/537.36')).toContain('tap');
  expect(helpToAllow('Mozilla/5.0 (Macintosh) Version/18.0 Safari/605.1')).toContain('In Safari');
});
