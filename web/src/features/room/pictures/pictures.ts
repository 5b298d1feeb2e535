import type { Clock } from '../core/clock.ts';
import { isStaffPeer } from '../core/peer-id.ts';
import { createStore, type Store } from '../core/store.ts';
import { PictureChannel } from './picture-channel.ts';

interface Parts {
  isPatient: boolean;
  clock: Clock;
  newKey: () => string;
  /** This device's camera, while it may be seen. */
  camera: () => MediaStreamTrack | undefined;
  /** A picture by the camera, at its full resolution. */
  takePhoto: (camera: MediaStreamTrack) => Promise<Blob>;
  /** What a received track shows. */
  takeFrame: (track: MediaStreamTrack) => Promise<Blob>;
  /** Sends a JPEG to the server, which stores the first one of a key. */
  upload: (key: string, jpeg: Blob) => Promise<unknown>;
}

export interface PicturesView {
  busy: boolean;
  /** What the user is notified of; a new object each time. For patients only 'taken'. */
  last: { outcome: 'taken' } | { outcome: 'failed'; error: unknown } | undefined;
}

/** The patient whose picture is taken, and what is received of their camera. */
export interface Sitter {
  peerId: string;
  track: MediaStreamTrack | undefined;
}

/** Timeout for a device's answer, and for its picture after the answer; ms. */
const answerTimeoutMs = 5_000;
const uploadTimeoutMs = 30_000;

/**
 * Pictures in the room (ROLE-3, CALL-12). Staff ask the patient's device, whose camera has a better picture than the received video; it
 * sends the picture to the server. When it does not answer or fails, the staff's page takes one of the received video. The server stores
 * one picture for each key and notifies the room.
 */
export class Pictures {
  readonly view: Store<PicturesView> = createStore<PicturesView>({ busy: false, last: undefined });
  readonly #parts: Parts;
  readonly #channels = new Map<string, PictureChannel>();
  /** The request in progress: ends with whether a picture is stored. */
  #asked: { key: string; taking: () => void; settle: (stored: boolean) => void } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  createChannel(peerId: string): PictureChannel {
    const channel: PictureChannel = new PictureChannel((message) => {
      if ('ask' in message) void this.#answer(channel, peerId, message.ask);
      else if ('taking' in message && message.taking === this.#asked?.key) this.#asked.taking();
      else if ('failed' in message && message.failed === this.#asked?.key) this.#asked.settle(false);
    });
    this.#channels.set(peerId, channel);
    return channel;
  }

  /** Takes a picture of a patient. Does nothing while one is taken. ERROR-10: a failure clears the busy flag. */
  async take({ peerId, track }: Sitter): Promise<void> {
    const { newKey, takeFrame, upload } = this.#parts;
    if (this.view.get().busy) return;
    this.#set({ busy: true });
    try {
      const key = newKey();
      if (!(await this.#ask(peerId, key))) {
        if (!track) throw new Error('No video is received.');
        await upload(key, await takeFrame(track));
      }
      this.#set({ last: { outcome: 'taken' } });
    } catch (error) {
      this.#set({ last: { outcome: 'failed', error } });
    } finally {
      this.#set({ busy: false });
    }
  }

  /** The server has stored the picture of a key. */
  stored(key: string): void {
    if (this.#parts.isPatient) this.#set({ last: { outcome: 'taken' } });
    else if (this.#asked?.key === key) this.#asked.settle(true);
  }

  /** Resolves with whether the patient's device has sent the picture. */
  #ask(peerId: string, key: string): Promise<boolean> {
    const { clock } = this.#parts;
    return new Promise((resolve) => {
      const settle = (stored: boolean) => {
        cancel();
        this.#asked = undefined;
        resolve(stored);
      };
      let cancel = clock.after(answerTimeoutMs, () => settle(false));
      const taking = () => {
        cancel();
        cancel = clock.after(uploadTimeoutMs, () => settle(false));
      };
      this.#asked = { key, taking, settle };
      if (this.#channels.get(peerId)?.send({ ask: key }) !== true) settle(false);
    });
  }

  /** Only staff may ask, and only a patient's device answers. */
  async #answer(channel: PictureChannel, peerId: string, key: string): Promise<void> {
    const { isPatient, camera, takePhoto, upload } = this.#parts;
    if (!isPatient || !isStaffPeer(peerId) || this.view.get().busy) return;
    this.#set({ busy: true });
    try {
      const track = camera();
      if (!track) throw new Error('The camera is off.');
      channel.send({ taking: key });
      await upload(key, await takePhoto(track));
    } catch {
      channel.send({ failed: key });
    } finally {
      this.#set({ busy: false });
    }
  }

  #set(part: Partial<PicturesView>): void {
    this.view.set({ ...this.view.get(), ...part });
  }
}
