/** The time after which the speed is judged, again and again, ms. */
const windowMs = 5_000;
/** A device is too slow when an image takes longer than this on average: seven images per second. */
const maxFrameMs = 150;

/** Finds out whether a device is too slow for the blur. Times are ms of one clock. */
export class SpeedWatch {
  #since: number | undefined;
  #spent = 0;
  #frames = 0;

  /** Adds the time that an image took until `now`. Returns true when the window is over and its average was too long. */
  add(frameMs: number, now: number): boolean {
    this.#since ??= now - frameMs;
    this.#spent += frameMs;
    this.#frames += 1;
    if (now - this.#since < windowMs) return false;
    const isSlow = this.#spent / this.#frames > maxFrameMs;
    this.#since = now;
    this.#spent = 0;
    this.#frames = 0;
    return isSlow;
  }
}
