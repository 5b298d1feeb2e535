import { expect, test } from 'vitest';
import { camera, fakeDevices, refusal, unplug } from '../call/fake-peer-connection.ts';
import { type DeviceChange, DeviceList } from './device-list.ts';
import { type DeviceAnswer, DeviceReturn } from './device-return.ts';
import { LocalMedia } from './local-media.ts';

/** Devices of a browser that can be plugged in and taken away. */
class PluggedDevices extends EventTarget {
  list: Partial<MediaDeviceInfo>[] = [];
  enumerateDevices = async () => this.list as MediaDeviceInfo[];
  plug(...list: Partial<MediaDeviceInfo>[]): void {
    this.list = list;
    this.dispatchEvent(new Event('devicechange'));
  }
}

const webcam = { kind: 'videoinput', deviceId: 'c1', label: 'Webcam' } as const;
const headset = { kind: 'audioinput', deviceId: 'm1', label: 'Headset' } as const;
const change = (kind: DeviceChange['kind'], isNew = true): DeviceChange => ({
  kind,
  device: { deviceId: 'x', label: 'X' },
  isNew,
});

/** Returns what the room answers to a change. */
function answersOf(media: LocalMedia) {
  const answers: DeviceAnswer[] = [];
  const returns = new DeviceReturn(media, (answer) => answers.push(answer));
  return async (one: DeviceChange) => {
    await returns.changed(one);
    return answers.at(-1);
  };
}

test('devices: are listed by kind with the system’s, and changes are reported until it stops', async () => {
  const devices = new PluggedDevices();
  const aliases = ['default', 'communications'].map(
    (deviceId) => ({ kind: 'audioinput', deviceId, label: 'System' }) as const,
  );
  devices.list = [webcam, ...aliases];
  const changes: DeviceChange[] = [];
  const list = new DeviceList({
    devices,
    permissions: undefined,
    onChange: (one) => changes.push(one),
    onAllowed: () => undefined,
  });
  list.start();
  await expect.poll(() => list.view.get().cameras).toEqual([{ deviceId: 'c1', label: 'Webcam' }]);
  expect(list.view.get().microphones).toEqual([{ deviceId: 'default', label: 'System' }]);
  devices.plug(headset);
  await expect.poll(() => changes).toHaveLength(2);
  expect(changes).toEqual([
    { kind: 'camera', device: { deviceId: 'c1', label: 'Webcam' }, isNew: false },
    { kind: 'microphone', device: { deviceId: 'm1', label: 'Headset' }, isNew: true },
  ]);
  list.stop();
  devices.plug(webcam);
  await Promise.resolve();
  expect(changes).toHaveLength(2);
});

test('devices that the browser names with the permission: are listed and not reported as new', async () => {
  const devices = new PluggedDevices();
  const hidden = (kind: MediaDeviceKind) => ({ kind, deviceId: '', label: '' });
  devices.list = [hidden('videoinput'), hidden('audioinput')];
  const changes: DeviceChange[] = [];
  const list = new DeviceList({
    devices,
    permissions: undefined,
    onChange: (one) => changes.push(one),
    onAllowed: () => undefined,
  });
  list.start();
  await Promise.resolve();
  // Safari reports a change of devices when the camera is allowed. The microphone is not yet.
  devices.plug(webcam, hidden('audioinput'));
  await expect.poll(() => list.view.get().cameras).toHaveLength(1);
  devices.plug(webcam, headset);
  await expect.poll(() => list.view.get().microphones).toHaveLength(1);
  expect(changes).toEqual([]);
  const second = { ...webcam, deviceId: 'c2', label: 'Second' };
  devices.plug(webcam, second, headset);
  await expect
    .poll(() => changes)
    .toEqual([{ kind: 'camera', device: { deviceId: 'c2', label: 'Second' }, isNew: true }]);
  list.stop();
});

test('permission: granted in the settings of the browser is reported', async () => {
  const status = Object.assign(new EventTarget(), { state: 'denied' });
  let allowed = 0;
  const list = new DeviceList({
    devices: new PluggedDevices(),
    permissions: { query: async () => status as unknown as PermissionStatus },
    onChange: () => undefined,
    onAllowed: () => allowed++,
  });
  list.start();
  const reported = () => {
    status.dispatchEvent(new Event('change'));
    status.state = 'granted';
    return allowed;
  };
  await expect.poll(reported).toBeGreaterThan(0);
  list.stop();
});

test('device that returns: a lost camera and microphone are opened again, further ones are offered', async () => {
  let works = true;
  const media = new LocalMedia(
    fakeDevices((wish) => {
      if (!works) throw refusal('NotFoundError');
      return camera(wish);
    }),
  );
  const answer = answersOf(media);
  expect(await answer(change('camera'))).toBe('nothing');
  await media.start();
  expect(await answer(change('camera'))).toBe('offer');
  expect(await answer(change('microphone'))).toBe('offer');
  unplug(media.camera);
  works = false;
  expect(await answer(change('camera'))).toBe('nothing');
  works = true;
  expect(media.view.get().device).toEqual({ status: 'none' });
  expect(await answer(change('camera', false))).toBe('nothing');
  expect(await answer(change('camera'))).toBe('camera-back');
  unplug(media.microphone);
  expect(await answer(change('microphone'))).toBe('microphone-back');
  expect(media.mediaState).toEqual({ sound: true, picture: true });
  // Who has chosen to go without a camera is not filmed by surprise.
  await media.continueWithout();
  expect(await answer(change('camera'))).toBe('offer');
  expect(media.hasPicture).toBe(false);
});

test('permission: what was refused is opened when it is allowed', async () => {
  let allowed = false;
  const media = new LocalMedia(
    fakeDevices((wish) => {
      if (!allowed) throw refusal('NotAllowedError');
      return camera(wish);
    }),
  );
  await media.start();
  expect(media.view.get().device).toEqual({ status: 'refused' });
  allowed = true;
  await new DeviceReturn(media, () => undefined).allowed();
  expect(media.view.get().device).toEqual({ status: 'live', sound: true });
});

test.each([
  ['camera', 'microphone'],
  ['microphone', 'camera'],
] as const)('webcam with a microphone that returns: both are opened, the %s reported first', async (...order) => {
  const media = new LocalMedia(fakeDevices(camera));
  await media.start();
  unplug(media.camera);
  unplug(media.microphone);
  const answer = answersOf(media);
  expect(await Promise.all(order.map((kind) => answer(change(kind))))).toHaveLength(2);
  expect(media.mediaState).toEqual({ sound: true, picture: true });
});

test('microphone that returns alone: the lost camera is still asked for', async () => {
  const media = new LocalMedia(fakeDevices(camera));
  await media.start();
  unplug(media.camera);
  unplug(media.microphone);
  const answer = answersOf(media);
  expect(await answer(change('microphone'))).toBe('microphone-back');
  expect(media.view.get().device).toEqual({ status: 'lost' });
  expect(await answer(change('camera'))).toBe('camera-back');
  expect(media.view.get().device).toEqual({ status: 'live', sound: true });
});

test('permission: what ended when it was blocked is opened when it is allowed again', async () => {
  const media = new LocalMedia(fakeDevices(camera));
  await media.start();
  unplug(media.camera);
  unplug(media.microphone);
  await new DeviceReturn(media, () => undefined).allowed();
  expect(media.view.get().device).toEqual({ status: 'live', sound: true });
});
