/**
 * Which values stand under a name: connections of a user or a group. Most names have one value, which is then kept without a set
 * around it (a set costs more than the rest of an idle connection's entries).
 */
export class Index<T extends object> {
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

  /** Returns whether that was the name's last value. */
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

  /** The values may be removed while they are visited. */
  each(name: string, visit: (value: T) => void): void {
    const found = this.#values.get(name);
    if (found instanceof Set) for (const value of found) visit(value);
    else if (found !== undefined) visit(found);
  }
}
