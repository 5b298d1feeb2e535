import type { Marks, VideoWish } from './signal.ts';
import { createStore, type Store } from './store.ts';

/**
 * How far this device has come with its camera and microphone. `sound`: a microphone was found.
 * refused: the person or the browser said no; none: no camera; busy: another program has it; lost: it was unplugged;
 * unsupported: this browser or address cannot.
 */
export type Device =
  | { status: 'idle' | 'asking' }
  | { status: 'live' | 'without'; sound: boolean }
  | { status: DeviceProblem };
export type DeviceProblem = 'refused' | 'none' | 'busy' | 'lost' | 'unsupported';

export interface MediaView {
  device: Device;
  muted: boolean;
  cameraOff: boolean;
  /** The same object for the life of the room; its tracks come and go. */
  stream: MediaStream | undefined;
}

type Devices = Pick<MediaDevices, 'getUserMedia'>;

/** CONST-5, CONST-6: 480p, the camera that faces the person. */
const picture: MediaTrackConstraints = { width: { ideal: 640 }, height: { ideal: 480 }, facingMode: 'user' };

/** The camera and microphone of this device. Nothing is asked for before `start`. */
export class LocalMedia {
  readonly view: Store<MediaView> = createStore<MediaView>({
    device: { status: 'idle' },
    muted: false,
    cameraOff: false,
    stream: undefined,
  });
  readonly #devices: Devices | undefined;
  /** Counts attempts; the answer to an older one is thrown away. */
  #attempt = 0;

  constructor(devices: Devices | undefined) {
    this.#devices = devices;
  }

  /** Asks for camera and microphone, unless that has been done. */
  async start(): Promise<void> {
    if (this.#device.status === 'idle') await this.retry();
  }

  /** Asks again. Without a microphone the camera alone will do. */
  async retry(): Promise<void> {
    await this.#open({ video: picture, audio: true }, { video: picture });
  }

  /** Goes on with a microphone, or as a listener. */
  async continueWithout(): Promise<void> {
    await this.#open({ audio: true });
  }

  /** True once it is decided what this device can send. */
  get decided(): boolean {
    return this.#device.status === 'live' || this.#device.status === 'without';
  }

  get hasPicture(): boolean {
    return this.#device.status === 'live';
  }

  get marks(): Marks {
    const { device, muted, cameraOff } = this.view.get();
    const sound = 'sound' in device && device.sound;
    return { sound: sound && !muted, picture: device.status === 'live' && !cameraOff };
  }

  setMuted(muted: boolean): void {
    this.#change({ muted });
  }

  setCameraOff(cameraOff: boolean): void {
    this.#change({ cameraOff });
  }

  /** Type 5: another size, where the camera can. */
  async resize(wish: VideoWish): Promise<void> {
    const [track] = this.view.get().stream?.getVideoTracks() ?? [];
    await track?.applyConstraints({ ...picture, ...wish }).catch(() => undefined);
  }

  /** Lets go of camera and microphone; `start` begins anew. */
  stop(): void {
    this.#attempt += 1;
    for (const track of this.view.get().stream?.getTracks() ?? []) track.stop();
    this.#change({ device: { status: 'idle' }, stream: undefined });
  }

  get #device(): Device {
    return this.view.get().device;
  }

  async #open(...wishes: MediaStreamConstraints[]): Promise<void> {
    const mine = ++this.#attempt;
    if (!this.#devices) return this.#change({ device: { status: 'unsupported' } });
    this.#change({ device: { status: 'asking' } });
    let failure: unknown;
    for (const wish of wishes) {
      try {
        const got = await this.#devices.getUserMedia(wish);
        if (mine === this.#attempt) return this.#take(got);
        for (const track of got.getTracks()) track.stop();
        return;
      } catch (error) {
        failure = error;
        // Another wish helps only where a part of this one does not exist.
        if (problemOf(error) !== 'none') break;
      }
    }
    if (mine !== this.#attempt) return;
    const wantedPicture = wishes.some((wish) => wish.video);
    this.#change({ device: wantedPicture ? { status: problemOf(failure) } : { status: 'without', sound: false } });
  }

  #take(got: MediaStream): void {
    const stream = this.view.get().stream ?? got;
    for (const track of got.getTracks()) {
      for (const old of stream.getTracks()) {
        if (old === track || old.kind !== track.kind) continue;
        stream.removeTrack(old);
        old.stop();
      }
      if (!stream.getTracks().includes(track)) stream.addTrack(track);
      track.addEventListener('ended', () => this.#ended(track));
    }
    const sound = stream.getAudioTracks().length > 0;
    this.#change({ device: { status: stream.getVideoTracks().length > 0 ? 'live' : 'without', sound }, stream });
  }

  /** The browser ended a track: unplugged, or the permission was taken back. */
  #ended(track: MediaStreamTrack): void {
    const { stream } = this.view.get();
    if (!stream?.getTracks().includes(track)) return;
    stream.removeTrack(track);
    if (track.kind === 'video') this.#change({ device: { status: 'lost' } });
    else if ('sound' in this.#device) this.#change({ device: { ...this.#device, sound: false } });
  }

  #change(part: Partial<MediaView>): void {
    const next = { ...this.view.get(), ...part };
    for (const track of next.stream?.getAudioTracks() ?? []) track.enabled = !next.muted;
    for (const track of next.stream?.getVideoTracks() ?? []) track.enabled = !next.cameraOff;
    this.view.set(next);
  }
}

/** The failures of getUserMedia (W3C Media Capture and Streams, 10.2.3). */
function problemOf(error: unknown): DeviceProblem {
  switch (error instanceof Error || error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'refused';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'none';
    case 'TypeError':
    case 'NotSupportedError':
      return 'unsupported';
    default:
      return 'busy';
  }
}
