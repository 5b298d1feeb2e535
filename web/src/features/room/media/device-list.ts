import { createStore, type Store } from '../core/store.ts';
import { type BrowserPermissions, readPermission } from './read-permission.ts';

/** A camera, microphone or speaker. The label is empty until the browser has permission. */
export interface ListedDevice {
  deviceId: string;
  label: string;
}

export interface DeviceListView {
  cameras: readonly ListedDevice[];
  microphones: readonly ListedDevice[];
  /** Empty where the browser cannot choose a speaker. */
  speakers: readonly ListedDevice[];
}

/** A device was plugged in, or taken away. */
export type DeviceChange = { kind: 'camera' | 'microphone'; device: ListedDevice; isNew: boolean };

/** Chromium lists the device that the system uses a second time under this id, and a third time as 'communications'. */
const systemDevice = 'default';

interface Parts {
  devices: Pick<MediaDevices, 'enumerateDevices' | 'addEventListener' | 'removeEventListener'> | undefined;
  /** Permission states, where the browser reports their changes. */
  permissions: BrowserPermissions;
  onChange: (change: DeviceChange) => void;
  /** The user allowed camera or microphone in the browser's settings. */
  onAllowed: () => void;
}

/** The devices of this computer or phone, kept up to date. */
export class DeviceList {
  readonly view: Store<DeviceListView> = createStore<DeviceListView>({ cameras: [], microphones: [], speakers: [] });
  readonly #parts: Parts;
  readonly #stops: (() => void)[] = [];
  /** The kinds of which the browser has hidden the devices when they were read last: it names them with the permission. */
  #hidden: ReadonlySet<MediaDeviceKind> = new Set();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    const { devices } = this.#parts;
    if (!devices) return;
    const listener = () => void this.refresh(true);
    devices.addEventListener('devicechange', listener);
    this.#stops.push(() => devices.removeEventListener('devicechange', listener));
    void this.refresh(false);
    for (const name of ['camera', 'microphone'] as const) void this.#watchPermission(name);
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Reads the list. With `report`, what came and went since the last time is reported. */
  async refresh(report: boolean): Promise<void> {
    const found = (await this.#parts.devices?.enumerateDevices().catch(() => undefined)) ?? [];
    const before = this.view.get();
    const of = (kind: MediaDeviceKind) =>
      found
        .filter((device) => device.kind === kind && device.deviceId !== '' && device.deviceId !== 'communications')
        .map(({ deviceId, label }) => ({ deviceId, label }));
    const now = { cameras: of('videoinput'), microphones: of('audioinput'), speakers: of('audiooutput') };
    const wasHidden = this.#hidden;
    this.#hidden = new Set(found.filter(({ deviceId }) => deviceId === '').map(({ kind }) => kind));
    this.view.set(now);
    if (!report) return;
    if (!wasHidden.has('videoinput')) this.#compare('camera', before.cameras, now.cameras);
    if (!wasHidden.has('audioinput')) this.#compare('microphone', before.microphones, now.microphones);
  }

  #compare(kind: DeviceChange['kind'], before: readonly ListedDevice[], now: readonly ListedDevice[]): void {
    const isIn = (list: readonly ListedDevice[], id: string) => list.some(({ deviceId }) => deviceId === id);
    for (const device of now) {
      if (device.deviceId !== systemDevice && !isIn(before, device.deviceId))
        this.#parts.onChange({ kind, device, isNew: true });
    }
    for (const device of before) {
      if (device.deviceId !== systemDevice && !isIn(now, device.deviceId))
        this.#parts.onChange({ kind, device, isNew: false });
    }
  }

  async #watchPermission(name: 'camera' | 'microphone'): Promise<void> {
    const status = await readPermission(this.#parts.permissions, name);
    if (!status) return;
    const listener = () => {
      if (status.state !== 'granted') return;
      void this.refresh(false);
      this.#parts.onAllowed();
    };
    status.addEventListener('change', listener);
    this.#stops.push(() => status.removeEventListener('change', listener));
  }
}
