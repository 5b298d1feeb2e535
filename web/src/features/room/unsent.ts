import * as z from 'zod/mini';
import { forgetUnsent, unsentPrefix } from './unsent-place.ts';

/** What was written, and is not with the server yet. */
const unsent = z.object({
  key: z.string(),
  text: z.string(),
  /** ISO. */
  date: z.string(),
  /** A try failed, and the line offers another one. */
  failed: z.optional(z.boolean()),
});
export type Unsent = z.infer<typeof unsent>;

/**
 * What one person has written in one visit, until the server has it: a reload, or a way out and back, does not lose it.
 * A patient's words do not lie about: the tab's own storage holds them, until they are sent or refused, the visit is over, the
 * person signs out, or somebody else opens a room.
 */
export class UnsentMessages {
  readonly #place: string;

  constructor(uid: string, person: string) {
    this.#place = `${unsentPrefix}${person}:${uid}`;
    forgetUnsent((place) => !place.startsWith(`${unsentPrefix}${person}:`));
  }

  load(): Unsent[] {
    try {
      const { success, data } = z.array(unsent).safeParse(JSON.parse(sessionStorage.getItem(this.#place) ?? '[]'));
      return success ? data : [];
    } catch {
      // Not ours, or no storage: nothing is waiting.
      return [];
    }
  }

  keep(message: Unsent): void {
    this.#save([...this.#without(message.key), message]);
  }

  drop(key: string): void {
    this.#save(this.#without(key));
  }

  /** Nothing more will be taken in this visit. */
  clear(): void {
    this.#save([]);
  }

  /** Read anew each time: a room that is being left may still drop what the next one has taken over. */
  #without(key: string): Unsent[] {
    return this.load().filter((one) => one.key !== key);
  }

  #save(messages: readonly Unsent[]): void {
    try {
      if (messages.length === 0) sessionStorage.removeItem(this.#place);
      else sessionStorage.setItem(this.#place, JSON.stringify(messages));
    } catch {
      // A full or forbidden storage only costs what a reload would keep.
    }
  }
}
