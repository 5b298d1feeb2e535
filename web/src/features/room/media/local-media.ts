import { createStore, type Store } from '../core/store.ts';
import { type BlurCamera, type BlurEnd, type BlurredCamera, hasOwnBlur } from './blur/camera-blur.ts';
import { keepChoice, keepSwitches, readChoice, readSwitches, type Switches } from './device-choice.ts';
import type { MediaState, VideoWish } from './media-state.ts';
import { type BrowserPermissions, readPermission } from './read-permission.ts';
import { defaultResolution, wishOf } from './resolutions.ts';

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

export interface MediaView extends Switches {
  device: Device;
  /** The screen is sent in place of the camera (STATE-19). */
  sharing: boolean;
  /** The system has silenced the microphone, for example during a phone call. */
  interrupted: boolean;
  /** The system has paused the camera. */
  cameraInterrupted: boolean;
  /** The size that the camera was asked for. */
  wish: VideoWish;
  /** The speaker for the others' sound; undefined for the system's. */
  speaker: string | undefined;
  /** The camera's background is blurred. */
  blur: boolean;
  /** Why the blur has ended by itself. */
  blurEnd: BlurEnd | undefined;
  /** What is sent: the same object as long as the room exists; its tracks change. */
  stream: MediaStream | undefined;
}

type Devices = Pick<MediaDevices, 'getUserMedia'> & Partial<Pick<MediaDevices, 'getDisplayMedia'>>;

/** The result of a request to share the screen. stopped: the media were stopped before a screen was picked. */
export type ShareResult = 'shared' | 'declined' | 'failed' | 'stopped';

/** The result of a request for a device. superseded: a later request or a stop has taken its place, and nothing is left to do. */
type Opened = 'opened' | 'failed' | 'superseded';

/** Echo and noise are removed, since most people have no headset. */
const sound: MediaTrackConstraints = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** The camera, the microphone and the shared screen of this device. Opens nothing before `start`, and after `stop` until it starts again. */
export class LocalMedia {
  readonly view: Store<MediaView> = createStore<MediaView>({
    device: { status: 'idle' },
    muted: false,
    cameraOff: false,
    savesData: false,
    wasOff: false,
    sharing: false,
    interrupted: false,
    cameraInterrupted: false,
    wish: wishOf(defaultResolution),
    speaker: readChoice().speaker,
    blur: false,
    blurEnd: undefined,
    stream: undefined,
  });
  readonly #devices: Devices | undefined;
  readonly #blurCamera: BlurCamera | undefined;
  readonly #place: string | undefined;
  readonly #permissions: BrowserPermissions;
  #blurred: (BlurredCamera & { readonly of: MediaStreamTrack }) | undefined;
  #camera: MediaStreamTrack | undefined;
  #microphone: MediaStreamTrack | undefined;
  #screen: MediaStreamTrack | undefined;
  /** What this device sends was decided once; it may be asked again. */
  #decided = false;
  /** Why there is no camera, until the user continues without one: a microphone that is opened meanwhile does not change it. */
  #cameraProblem: DeviceProblem | undefined;
  /** Counts attempts; the result of an older one is dropped. */
  #attempt = 0;
  /** Counts stops; a screen that was asked for before the last one is not captured. */
  #stops = 0;
  /** Resolves when the devices that are being opened are open, or have failed. */
  #opening: Promise<unknown> | undefined;

  /**
   * `blurCamera` is undefined where the browser cannot blur; the camera itself may. `place` names the person and the visit, whose
   * switches are kept for a reload and for other tabs. `permissions` tell a refused microphone from a refused camera.
   */
  constructor(devices: Devices | undefined, blurCamera?: BlurCamera, place?: string, permissions?: BrowserPermissions) {
    this.#devices = devices;
    this.#blurCamera = blurCamera;
    this.#place = place;
    this.#permissions = permissions;
    this.#change({ blur: readChoice().blur === true, ...readSwitches(place) });
  }

  /** Asks for camera and microphone, once. */
  async start(): Promise<void> {
    if (this.#device.status !== 'idle') return;
    // Another tab may have been used since.
    this.#change({ ...readSwitches(this.#place), device: { status: 'asking' } });
    await this.retry();
  }

  /** Asks for the camera again and keeps a running microphone. Without a microphone the camera alone is enough. */
  async retry(): Promise<void> {
    const video = this.#cameraWish();
    if (this.hasSound && !this.hasPicture) await this.#open({ video });
    else await this.#open({ video, audio: soundWish() }, { video });
  }

  /** Asks for the microphone only. Resolves with false when there is none. */
  async retrySound(): Promise<boolean> {
    // A camera that is being opened comes first: this request would end that one.
    await this.#opening;
    const mine = this.#attempt + 1;
    await this.#open({ audio: soundWish() });
    return this.hasSound || mine !== this.#attempt;
  }

  /** Continues with a microphone only, or without any device. */
  async continueWithout(): Promise<void> {
    this.#camera?.stop();
    this.#camera = undefined;
    this.#cameraProblem = undefined;
    if (!this.hasSound) return this.#open({ audio: soundWish() });
    this.#attempt += 1;
    this.#change({ device: this.#deviceNow() });
  }

  /** True when it is decided what this device sends. */
  get decided(): boolean {
    return this.#decided;
  }

  /** True when a microphone runs; it may be muted. */
  get hasSound(): boolean {
    return isLive(this.#microphone);
  }

  /** True when a camera runs; it may be turned off. */
  get hasPicture(): boolean {
    return isLive(this.#camera);
  }

  /** The running camera, also while the screen is shared. */
  get camera(): MediaStreamTrack | undefined {
    return this.hasPicture ? this.#camera : undefined;
  }

  /** What others see of the camera: with a blurred background, if that was chosen. */
  get cameraImage(): MediaStreamTrack | undefined {
    return this.hasPicture ? (this.#blurred?.track ?? this.#camera) : undefined;
  }

  /** Whether the background of the present camera can be blurred. */
  get canBlur(): boolean {
    const { camera } = this;
    return camera !== undefined && (this.#blurCamera !== undefined || hasOwnBlur(camera));
  }

  get microphone(): MediaStreamTrack | undefined {
    return this.hasSound ? this.#microphone : undefined;
  }

  /** What is sent at the moment. */
  get mediaState(): MediaState {
    const { muted, cameraOff, savesData, interrupted, cameraInterrupted } = this.view.get();
    const screen = isLive(this.#screen);
    return {
      sound: this.hasSound && !muted && !interrupted,
      picture: screen || (this.hasPicture && !cameraOff && !cameraInterrupted),
      ...(screen && { screen }),
      ...(savesData && { wantsPicture: false }),
    };
  }

  setMuted(muted: boolean): void {
    this.#switch({ muted });
  }

  /** Turning the camera on also asks for the others' video again. One that is turned off stays off when video is on again. */
  setCameraOff(cameraOff: boolean): void {
    this.#switch({ cameraOff, wasOff: cameraOff, savesData: cameraOff && this.view.get().savesData });
  }

  /** Turns all video off to save data, or on again as it was. */
  setSavesData(savesData: boolean): void {
    const { cameraOff, savesData: before, wasOff } = this.view.get();
    if (savesData !== before)
      this.#switch(savesData ? { savesData, cameraOff: true, wasOff: cameraOff } : { savesData, cameraOff: wasOff });
  }

  /** This person has left the visit, or it is over: a later entry begins with everything on. */
  forgetSwitches(): void {
    keepSwitches(this.#place);
  }

  /**
   * Type 5, CONST-6: another size, if the camera has it. It holds for the next camera too. A browser makes the video of a running
   * camera smaller, but not larger than it was opened: then the camera is closed and opened again.
   */
  async resize(wish: VideoWish): Promise<void> {
    this.#change({ wish });
    let camera: MediaStreamTrack | undefined;
    // Waits for a device that is being opened: another request would end that one, and its camera has the size before.
    do {
      camera = this.camera;
      await this.#constrain();
      await this.#opening;
      // A later call has another size.
      if (wish !== this.view.get().wish) return;
    } while (camera !== this.camera);
    const { width = 0, deviceId } = camera?.getSettings() ?? {};
    if (!camera || width >= wish.width.ideal) return;
    await this.#track(
      this.#replaceStopped({ video: { ...wish, ...(deviceId !== undefined && { deviceId: { exact: deviceId } }) } }),
    );
  }

  /**
   * Uses another camera or microphone, now and in later visits; before `start` only from then on. Resolves with false when it cannot be
   * opened; the present one goes on then.
   */
  async choose(kind: 'camera' | 'microphone', deviceId: string): Promise<boolean> {
    const exact = { deviceId: { exact: deviceId } };
    const wish =
      kind === 'camera' ? { video: { ...this.view.get().wish, ...exact } } : { audio: { ...sound, ...exact } };
    if (kind === 'microphone') await this.#opening;
    const opened = this.#isStopped ? 'opened' : await this.#track(this.#replaceOrReopen(wish));
    if (opened === 'opened') keepChoice({ ...readChoice(), [kind]: deviceId });
    return opened !== 'failed';
  }

  chooseSpeaker(deviceId: string): void {
    keepChoice({ ...readChoice(), speaker: deviceId });
    this.#change({ speaker: deviceId });
  }

  /** Blurs the background or not, now and in later visits. */
  setBlur(blur: boolean): void {
    keepChoice({ ...readChoice(), blur });
    this.#change({ blur, blurEnd: undefined });
    void this.#constrain();
  }

  /** False where the browser cannot share a screen, such as on phones. */
  get canShare(): boolean {
    return this.#devices?.getDisplayMedia !== undefined;
  }

  /** STATE-19: sends a screen, a window or a tab in place of the camera, until the user stops it. */
  async share(): Promise<ShareResult> {
    if (this.#isStopped) return 'stopped';
    const stops = this.#stops;
    let got: MediaStream | undefined;
    try {
      got = await this.#devices?.getDisplayMedia?.({ video: { frameRate: { ideal: 15, max: 30 } }, audio: false });
    } catch (error) {
      if (stops !== this.#stops) return 'stopped';
      return error instanceof DOMException && error.name === 'NotAllowedError' ? 'declined' : 'failed';
    }
    if (stops !== this.#stops) {
      stopTracks(got);
      return 'stopped';
    }
    const track = got?.getVideoTracks()[0];
    if (!got || !track) return 'failed';
    // Text stays readable: the rate of frames goes down before the size.
    track.contentHint = 'detail';
    track.addEventListener('ended', () => track === this.#screen && this.unshare());
    this.#screen?.stop();
    this.#screen = track;
    this.#change({ sharing: true, stream: this.view.get().stream ?? got });
    return 'shared';
  }

  /** Back to the camera. */
  unshare(): void {
    this.#screen?.stop();
    this.#screen = undefined;
    this.#change({ sharing: false });
  }

  /** Stops everything; `start` asks again. */
  stop(): void {
    this.#attempt += 1;
    this.#stops += 1;
    this.#opening = undefined;
    for (const track of [this.#camera, this.#microphone, this.#screen]) track?.stop();
    this.#camera = undefined;
    this.#microphone = undefined;
    this.#screen = undefined;
    this.#cameraProblem = undefined;
    this.#decided = false;
    this.#change({ device: { status: 'idle' }, sharing: false, stream: undefined });
  }

  get #device(): Device {
    return this.view.get().device;
  }

  /** Not started, or stopped: no device may be opened. */
  get #isStopped(): boolean {
    return this.#device.status === 'idle';
  }

  /** CONST-5: the camera that faces the person, unless another one was chosen. */
  #cameraWish(): MediaTrackConstraints {
    const { camera } = readChoice();
    return { ...this.view.get().wish, ...(camera ? { deviceId: { ideal: camera } } : { facingMode: 'user' }) };
  }

  #open(...wishes: MediaStreamConstraints[]): Promise<void> {
    return this.#isStopped ? Promise.resolve() : this.#track(this.#openFirst(wishes));
  }

  /** Uses the first of these wishes whose devices can be opened. */
  async #openFirst(wishes: readonly MediaStreamConstraints[]): Promise<void> {
    const mine = ++this.#attempt;
    const wantsPicture = wishes.some((wish) => wish.video);
    if (!this.#devices) return this.#failed(wantsPicture, 'unsupported');
    this.#change({ device: { status: 'asking' } });
    let failure: unknown;
    for (const wish of wishes) {
      try {
        const got = await this.#devices.getUserMedia(wish);
        return mine === this.#attempt ? this.#take(got) : stopTracks(got);
      } catch (error) {
        failure = error;
        // One device that fails makes the whole request fail. A user who has refused is not asked a second time.
        if (problemOf(error) === 'refused' && !(await this.#isOnlySoundRefused())) break;
        if (mine !== this.#attempt) break;
      }
    }
    if (mine === this.#attempt) this.#failed(wantsPicture, problemOf(failure));
  }

  /** After a refusal: whether the camera is allowed, or can still be asked for while the microphone is blocked. */
  async #isOnlySoundRefused(): Promise<boolean> {
    const [camera, microphone] = await Promise.all([
      readPermission(this.#permissions, 'camera'),
      readPermission(this.#permissions, 'microphone'),
    ]);
    return camera?.state === 'granted' || (camera?.state === 'prompt' && microphone?.state === 'denied');
  }

  async #replace(wish: MediaStreamConstraints): Promise<Opened> {
    const mine = ++this.#attempt;
    const got = await this.#devices?.getUserMedia(wish).catch(() => undefined);
    if (mine !== this.#attempt) {
      stopTracks(got);
      return 'superseded';
    }
    if (!got) return 'failed';
    this.#take(got);
    return 'opened';
  }

  /** Many phones open a camera only when the other one is closed. */
  async #replaceOrReopen(wish: MediaStreamConstraints): Promise<Opened> {
    const opened = await this.#replace(wish);
    return opened === 'failed' && wish.video ? this.#replaceStopped(wish) : opened;
  }

  /** Closes the camera first: no browser opens one twice in two sizes. Opens any camera when this one fails. */
  async #replaceStopped(wish: MediaStreamConstraints): Promise<Opened> {
    // One that an earlier request has closed counts too.
    if (!this.#camera) return 'failed';
    this.#camera.stop();
    const opened = await this.#replace(wish);
    if (opened === 'failed') await this.retry();
    return opened;
  }

  /** `resize` waits for this work. */
  #track<T>(work: Promise<T>): Promise<T> {
    this.#opening = Promise.allSettled([this.#opening, work]);
    return work;
  }

  /** Asks the running camera for the size, and for its own blur where it has one. New constraints replace all earlier ones. */
  async #constrain(): Promise<void> {
    const { wish, blur } = this.view.get();
    const { camera } = this;
    if (!camera) return;
    const own = hasOwnBlur(camera) ? { backgroundBlur: { ideal: blur } } : {};
    await camera.applyConstraints({ facingMode: 'user', ...wish, ...own }).catch(() => undefined);
  }

  /** Starts or stops the blur, as the camera and the choice say. */
  #followBlur(wanted: boolean): void {
    const { camera } = this;
    const of = wanted && camera && !hasOwnBlur(camera) ? camera : undefined;
    if (this.#blurred?.of === of) return;
    this.#blurred?.stop();
    const made =
      of &&
      this.#blurCamera?.(of, (blurEnd) => {
        if (this.#blurred?.track !== made?.track) return;
        // A person who blurs the background does not want it seen: the camera is turned off first.
        this.setCameraOff(true);
        this.setBlur(false);
        this.#change({ blurEnd });
      });
    this.#blurred = of && made && { track: made.track, stop: () => made.stop(), of };
  }

  /** Only missing video opens the dialog. */
  #failed(wantsPicture: boolean, status: DeviceProblem): void {
    if (wantsPicture) this.#cameraProblem = status;
    this.#change({ device: this.#deviceNow() });
  }

  #take(got: MediaStream): void {
    for (const track of got.getTracks()) {
      if (track.kind === 'video') {
        this.#camera?.stop();
        this.#camera = track;
        this.#cameraProblem = undefined;
      } else {
        this.#microphone?.stop();
        this.#microphone = track;
      }
      for (const type of ['mute', 'unmute']) track.addEventListener(type, () => this.#interruptionChanged());
      track.addEventListener('ended', () => this.#ended(track));
    }
    this.#change({ device: this.#deviceNow(), stream: this.view.get().stream ?? got });
    if (this.view.get().blur && this.camera && hasOwnBlur(this.camera)) void this.#constrain();
    this.#interruptionChanged();
  }

  /** The system mutes a microphone or camera during a phone call or while another app has it, and unmutes it after. */
  #interruptionChanged(): void {
    const before = this.view.get();
    const interrupted = this.hasSound && this.#microphone?.muted === true;
    const cameraInterrupted = this.hasPicture && this.#camera?.muted === true;
    if (interrupted !== before.interrupted || cameraInterrupted !== before.cameraInterrupted)
      this.#change({ interrupted, cameraInterrupted });
  }

  /** The browser ended a track: unplugged, or the permission was revoked. */
  #ended(track: MediaStreamTrack): void {
    if (track === this.#camera) {
      this.#camera = undefined;
      this.#cameraProblem = 'lost';
      this.#change({ device: { status: 'lost' }, cameraInterrupted: false });
    } else if (track === this.#microphone) {
      this.#microphone = undefined;
      this.#change({
        device: 'sound' in this.#device ? { ...this.#device, sound: false } : this.#device,
        interrupted: false,
      });
    }
  }

  /** The state for the tracks that run. */
  #deviceNow(): Device {
    if (this.hasPicture) return { status: 'live', sound: this.hasSound };
    return this.#cameraProblem ? { status: this.#cameraProblem } : { status: 'without', sound: this.hasSound };
  }

  #switch(part: Partial<Switches>): void {
    this.#change(part);
    const { muted, cameraOff, savesData, wasOff } = this.view.get();
    keepSwitches(this.#place, { muted, cameraOff, savesData, wasOff });
  }

  #change(part: Partial<MediaView>): void {
    const next = { ...this.view.get(), ...part };
    if (next.device.status === 'live' || next.device.status === 'without') this.#decided = true;
    if (this.#microphone) this.#microphone.enabled = !next.muted;
    this.#followBlur(next.blur);
    for (const track of [this.#camera, this.#blurred?.track]) if (track) track.enabled = !next.cameraOff;
    if (next.stream) this.#send(next.stream);
    this.view.set(next);
  }

  /** Puts the tracks that are sent into the stream. */
  #send(stream: MediaStream): void {
    const wanted = [this.#screen ?? this.#blurred?.track ?? this.#camera, this.#microphone];
    for (const track of stream.getTracks()) if (!wanted.includes(track)) stream.removeTrack(track);
    for (const track of wanted) if (track && !stream.getTracks().includes(track)) stream.addTrack(track);
  }
}

function soundWish(): MediaTrackConstraints {
  const { microphone } = readChoice();
  return { ...sound, ...(microphone && { deviceId: { ideal: microphone } }) };
}

function stopTracks(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

const isLive = (track: MediaStreamTrack | undefined): boolean => track?.readyState === 'live';

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
