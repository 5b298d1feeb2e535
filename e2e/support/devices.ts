import type { Page } from '@playwright/test';

/** Labels of Chromium's test devices. The video of `fake_device_1` has a format (Y16) that cannot be sent. */
export const testDevices = {
  cameras: ['fake_device_0', 'fake_device_2', 'fake_device_1'],
  microphones: ['Fake Default Audio Input', 'Fake Audio Input 1', 'Fake Audio Input 2'],
} as const;

/** Devices that are plugged in and unplugged. */
export interface Devices {
  plugIn(...labels: string[]): Promise<void>;
  /** Ends what comes from them, as a browser does. */
  unplug(...labels: string[]): Promise<void>;
}

interface Scope {
  plug(labels: readonly string[], isIn: boolean): void;
}

/**
 * Lets the cameras and microphones of a page be plugged in and unplugged; those of `plugged` are there at first. Chromium cannot do that with
 * its test devices. Call it before the page is opened.
 */
export async function useRemovableDevices(page: Page, plugged: readonly string[]): Promise<Devices> {
  // Labels are known without a question.
  await page.context().grantPermissions(['camera', 'microphone']);
  const removable: string[] = [...testDevices.cameras, ...testDevices.microphones];
  await page.addInitScript(
    makeRemovable,
    removable.filter((label) => !plugged.includes(label)),
  );
  const plug = (labels: readonly string[], isIn: boolean) =>
    page.evaluate(([all, state]) => (globalThis as unknown as Scope).plug(all, state), [labels, isIn] as const);
  return {
    plugIn: (...labels) => plug(labels, true),
    unplug: (...labels) => plug(labels, false),
  };
}

/** Runs in the page. */
function makeRemovable(unplugged: readonly string[]): void {
  const devices = navigator.mediaDevices;
  const list = devices.enumerateDevices.bind(devices);
  const open = devices.getUserMedia.bind(devices);
  const gone = new Set(unplugged);
  const opened: MediaStreamTrack[] = [];
  devices.enumerateDevices = async () => (await list()).filter(({ label }) => !gone.has(label));

  /** The constraints for a device that is there. */
  async function findDevice(kind: MediaDeviceKind, wish: boolean | MediaTrackConstraints | undefined) {
    if (!wish) return false;
    const there = (await devices.enumerateDevices()).filter((one) => one.kind === kind);
    if (there.length === 0) throw new DOMException('Requested device not found', 'NotFoundError');
    const asked = wish === true ? undefined : (wish.deviceId as ConstrainDOMStringParameters | undefined);
    const found = there.find(({ deviceId }) => deviceId === (asked?.exact ?? asked?.ideal));
    if (asked?.exact !== undefined && !found) throw new DOMException('', 'OverconstrainedError');
    return { ...(wish === true ? {} : wish), deviceId: { exact: (found ?? there[0])?.deviceId ?? '' } };
  }

  devices.getUserMedia = async (wish) => {
    const stream = await open({
      video: await findDevice('videoinput', wish?.video),
      audio: await findDevice('audioinput', wish?.audio),
    });
    opened.push(...stream.getTracks());
    return stream;
  };
  (globalThis as unknown as Scope).plug = (labels, isIn) => {
    for (const label of labels) {
      if (isIn) gone.delete(label);
      else gone.add(label);
    }
    for (const track of opened) {
      if (!gone.has(track.label) || track.readyState === 'ended') continue;
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }
    devices.dispatchEvent(new Event('devicechange'));
  };
}
