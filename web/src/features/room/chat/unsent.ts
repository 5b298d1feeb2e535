import * as z from 'zod/mini';
import { forgetUnsent, unsentPrefix } from '../../../api/unsent-place.ts';

/** A message that is not stored by the server yet. */
const unsent = z.object({
  key: z.string(),
  text: z.string(),
  /** ISO. */
  date: z.string(),
  /** A try failed, and the message offers a retry. */
  failed: z.optional(z.boolean()),
});
export type Unsent = z.infer<typeof unsent>;

/**
 * Unsent messages of one person in one visit. They survive a reload, or leaving and returning. Because they are patient
 * data, they are only in the tab's session storage, until they are sent or refused, the visit is over, the person signs
 * out, or another person opens a room.
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
      // Not this application's data, or no storage.
      return [];
    }
  }

  keep(message: Unsent): void {
    this.#save([...this.#without(message.key), message]);
  }

  drop(key: string): void {
    this.#save(this.#without(key));
  }

  /** The visit accepts no more messages. */
  clear(): void {
    this.#save([]);
  }

  /** Reads the storage each time: a room that is being left may still change it after the next room has read it. */
  #without(key: string): Unsent[] {
    return this.load().filter((one) => one.key !== key);
  }

  #save(messages: readonly Unsent[]): void {
    try {
      if (messages.length === 0) sessionStorage.removeItem(this.#place);
      else sessionStorage.setItem(this.#place, JSON.stringify(messages));
    } catch {
      // A full or forbidden storage only means that a reload loses the messages.
    }
  }
}
