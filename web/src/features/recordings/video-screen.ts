import type { Screen } from './player.ts';

/** A video element as a screen of the player. */
export class VideoScreen implements Screen {
  readonly #video: HTMLVideoElement;
  readonly #addressOf: (segment: string) => string | undefined;
  #segment: string | undefined;
  /** The position to go to when the segment has loaded. */
  #wanted: number | undefined;
  /** The position to go to when the element has reached another one: set earlier, browsers may drop it. */
  #next: number | undefined;

  /** `addressOf` returns the current address of a segment: addresses expire. */
  constructor(video: HTMLVideoElement, addressOf: (segment: string) => string | undefined) {
    this.#video = video;
    this.#addressOf = addressOf;
    video.addEventListener('loadedmetadata', () => {
      if (this.#wanted !== undefined) video.currentTime = this.#wanted;
      this.#wanted = undefined;
    });
    video.addEventListener('seeked', () => {
      if (this.#next !== undefined) video.currentTime = this.#next;
      this.#next = undefined;
    });
  }

  get segment(): string | undefined {
    return this.#segment;
  }

  get position(): number {
    return this.#wanted ?? this.#next ?? this.#video.currentTime;
  }

  get duration(): number {
    return Number.isNaN(this.#video.duration) ? Number.POSITIVE_INFINITY : this.#video.duration;
  }

  get isReady(): boolean {
    const { readyState, seeking, error } = this.#video;
    // One that cannot be played keeps no one waiting.
    return error !== null || (!seeking && readyState >= HTMLMediaElement.HAVE_FUTURE_DATA);
  }

  load(segment: string, position: number): void {
    const address = this.#addressOf(segment);
    this.#segment = segment;
    if (address === undefined) return;
    this.#wanted = position;
    this.#next = undefined;
    this.#video.src = address;
  }

  /** Loads the segment again from its current address, at the same position. */
  reload(): void {
    if (this.#segment !== undefined) this.load(this.#segment, this.position);
  }

  seek(position: number): void {
    if (this.#wanted !== undefined || this.#video.readyState < HTMLMediaElement.HAVE_METADATA) this.#wanted = position;
    else if (this.#video.seeking) this.#next = position;
    else this.#video.currentTime = position;
  }

  play(rate: number): void {
    if (this.#video.playbackRate !== rate) this.#video.playbackRate = rate;
    // Fails while another segment is loaded; the next tick tries again.
    if (this.#video.paused) this.#video.play()?.catch(() => undefined);
  }

  pause(): void {
    if (!this.#video.paused) this.#video.pause();
  }
}
