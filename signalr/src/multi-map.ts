/**
 * Several values per name: the connections of a user or a group. A single value is stored without a set, because a set needs more
 * memory than all other entries of an idle connection.
 */
export class MultiMap<T extends object> {
  readonly #values = new Map<string, T | Set<T>>();

  get size(): number {
    return this.#values.size;
  }

  /** Returns whether the name is new. */
  add(name: string, value: T): boolean {
    const found = this.#values.get(name);
    if (found === undefined) {
      this.#values.set(name, value);
      return true;
    }
    if (found instanceof Set) found.add(value);
    else if (found !== value) this.#values.set(name, new Set([found, value]));
    return false;
  }

  /** Returns whether this was the name's last value. */
  delete(name: string, value: T): boolean {
    const found = this.#values.get(name);
    if (found instanceof Set) {
      found.delete(value);
      if (found.size > 0) return false;
    } else if (found !== value) {
      return false;
    }
    return this.#values.delete(name);
  }

  /** Calls `visit` for each value; `visit` may remove values. */
  each(name: string, visit: (value: T) => void): void {
    const found = this.#values.get(name);
    if (found instanceof Set) for (const value of found) visit(value);
    else if (found !== undefined) visit(found);
  }
}
