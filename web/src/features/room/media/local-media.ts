import { createStore, type Store } from '../core/store.ts';
import type { MediaState, VideoWish } from './media-state.ts';

/**
 * State of this device's camera and microphone. `sound`: there is a microphone. The tracks alone decide what is sent: a
 * microphone keeps running while a lost camera is asked for.
 * refused: the user or the browser denied access; none: no camera; busy: another program uses it; lost: unplugged;
 * unsupported: this browser or address has no camera access.
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
  /** The same object as long as the room exists; its tracks change. */
  stream: MediaStream | undefined;
}

type Devices = Pick<MediaDevices, 'getUserMedia'>;

/** CONST-5, CONST-6: 480p, the camera that faces the person. */
const picture: MediaTrackConstraints = { width: { ideal: 640 }, height: { ideal: 480 }, facingMode: 'user' };

/** The camera and microphone of this device. Asks for nothing before `start`. */
export class LocalMedia {
  readonly view: Store<MediaView> = createStore<MediaView>({
    device: { status: 'idle' },
    muted: false,
    cameraOff: false,
    stream: undefined,
  });
  readonly #devices: Devices | undefined;
  /** What this device sends was decided once; it may be asked again. */
  #decided = false;
  /** Counts attempts; the result of an older one is dropped. */
  #attempt = 0;

  constructor(devices: Devices | undefined) {
    this.#devices = devices;
  }

  /** Asks for camera and microphone, once. */
  async start(): Promise<void> {
    if (this.#device.status === 'idle') await this.retry();
  }

  /** Asks for the camera again and keeps a running microphone. Without a microphone the camera alone is enough. */
  async retry(): Promise<void> {
    if (this.hasSound && !this.hasPicture) await this.#open({ video: picture });
    else await this.#open({ video: picture, audio: true }, { video: picture });
  }

  /** Asks for the microphone only. Resolves with false when there is none. */
  async retrySound(): Promise<boolean> {
    const mine = this.#attempt + 1;
    await this.#open({ audio: true });
    return this.hasSound || mine !== this.#attempt;
  }

  /** Continues with a microphone only, or without any device. */
  async continueWithout(): Promise<void> {
    for (const track of this.view.get().stream?.getVideoTracks() ?? []) this.#drop(track);
    if (!this.hasSound) return this.#open({ audio: true });
    this.#attempt += 1;
    this.#change({ device: deviceOf(this.view.get().stream) });
  }

  /** True when it is decided what this device sends. */
  get decided(): boolean {
    return this.#decided;
  }

  /** True when a microphone runs; it may be muted. */
  get hasSound(): boolean {
    return runs(this.view.get().stream, 'audio');
  }

  /** True when a camera runs; it may be turned off. */
  get hasPicture(): boolean {
    return runs(this.view.get().stream, 'video');
  }

  /** What is sent at the moment. */
  get mediaState(): MediaState {
    const { muted, cameraOff } = this.view.get();
    return { sound: this.hasSound && !muted, picture: this.hasPicture && !cameraOff };
  }

  setMuted(muted: boolean): void {
    this.#change({ muted });
  }

  setCameraOff(cameraOff: boolean): void {
    this.#change({ cameraOff });
  }

  /** Type 5: another size, if the camera has it. */
  async resize(wish: VideoWish): Promise<void> {
    const [track] = this.view.get().stream?.getVideoTracks() ?? [];
    await track?.applyConstraints({ ...picture, ...wish }).catch(() => undefined);
  }

  /** Stops camera and microphone; `start` asks again. */
  stop(): void {
    this.#attempt += 1;
    for (const track of this.view.get().stream?.getTracks() ?? []) track.stop();
    this.#decided = false;
    this.#change({ device: { status: 'idle' }, stream: undefined });
  }

  get #device(): Device {
    return this.view.get().device;
  }

  async #open(...wishes: MediaStreamConstraints[]): Promise<void> {
    const mine = ++this.#attempt;
    const wantsPicture = wishes.some((wish) => wish.video);
    if (!this.#devices) return this.#failed(wantsPicture, 'unsupported');
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
        // Fewer constraints help only when a requested device does not exist.
        if (problemOf(error) !== 'none') break;
      }
    }
    if (mine === this.#attempt) this.#failed(wantsPicture, problemOf(failure));
  }

  /** Only missing video opens the dialog. */
  #failed(wantsPicture: boolean, status: DeviceProblem): void {
    this.#change({ device: wantsPicture && !this.hasPicture ? { status } : deviceOf(this.view.get().stream) });
  }

  #take(got: MediaStream): void {
    const stream = this.view.get().stream ?? got;
    for (const track of got.getTracks()) {
      for (const old of stream.getTracks()) {
        if (old !== track && old.kind === track.kind) this.#drop(old);
      }
      if (!stream.getTracks().includes(track)) stream.addTrack(track);
      track.addEventListener('ended', () => this.#ended(track));
    }
    this.#change({ device: deviceOf(stream), stream });
  }

  #drop(track: MediaStreamTrack): void {
    this.view.get().stream?.removeTrack(track);
    track.stop();
  }

  /** The browser ended a track: unplugged, or the permission was revoked. */
  #ended(track: MediaStreamTrack): void {
    const { stream } = this.view.get();
    if (!stream?.getTracks().includes(track)) return;
    stream.removeTrack(track);
    if (track.kind === 'video') this.#change({ device: { status: 'lost' } });
    else this.#change({ device: 'sound' in this.#device ? { ...this.#device, sound: false } : this.#device });
  }

  #change(part: Partial<MediaView>): void {
    const next = { ...this.view.get(), ...part };
    if (next.device.status === 'live' || next.device.status === 'without') this.#decided = true;
    for (const track of next.stream?.getAudioTracks() ?? []) track.enabled = !next.muted;
    for (const track of next.stream?.getVideoTracks() ?? []) track.enabled = !next.cameraOff;
    this.view.set(next);
  }
}

function runs(stream: MediaStream | undefined, kind: 'audio' | 'video'): boolean {
  return stream?.getTracks().some((track) => track.kind === kind && track.readyState === 'live') ?? false;
}

/** The state for the tracks that run. */
function deviceOf(stream: MediaStream | undefined): Device {
  return { status: runs(stream, 'video') ? 'live' : 'without', sound: runs(stream, 'audio') };
}

/** Maps the errors of getUserMedia (W3C Media Capture and Streams, 10.2.3). */
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
