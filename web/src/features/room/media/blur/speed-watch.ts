/** The time after which the speed is judged, again and again, ms. */
const windowMs = 5_000;
/** At least this many times are judged: one is long when the device wakes from sleep. */
const minTimes = 5;
/** A device is too slow when it usually takes longer than this to find the person, ms: the outline would lag behind. */
const maxMs = 200;

/** Finds out whether a device is too slow for the blur. Times are ms of one clock. */
export class SpeedWatch {
  #since: number | undefined;
  #times: number[] = [];

  /** Adds the time that it took until `now` to find the person. Returns true when the window is over and its median was too long. */
  add(tookMs: number, now: number): boolean {
    this.#since ??= now - tookMs;
    this.#times.push(tookMs);
    if (now - this.#since < windowMs || this.#times.length < minTimes) return false;
    const median = this.#times.toSorted((a, b) => a - b)[this.#times.length >> 1] ?? 0;
    this.#since = now;
    this.#times = [];
    return median > maxMs;
  }
}
