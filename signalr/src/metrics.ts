/** The last 256 measurements of a duration, ms. */
export class Samples {
  readonly #values: number[] = [];
  #next = 0;

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % maxSamples;
  }

  /** Returns the value that a share (0 to 1) of the measurements does not exceed; undefined before the first. */
  quantile(share: number): number | undefined {
    const sorted = this.#values.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }
}

const maxSamples = 256;
