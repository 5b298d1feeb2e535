import * as z from 'zod/mini';
import { currentSession, onSessionChange } from '../../api/sign-in.ts';

/** What was written, and is not with the server yet. */
const unsent = z.object({
  key: z.string(),
  text: z.string(),
  /** ISO. */
  date: z.string(),
});
export type Unsent = z.infer<typeof unsent>;

const prefix = 'room:unsent:';

/**
 * What one person has written in one visit, until the server has it: a reload, or a way out and back, does not lose it.
 * A patient's words do not lie about: they are in this tab's memory only, go one by one as soon as they are sent or
 * refused, and all of them with the sign-in, or when somebody else comes to the tab.
 */
export class UnsentMessages {
  readonly #place: string;

  constructor(uid: string, person: string) {
    this.#place = `${prefix}${person}:${uid}`;
    forget((place) => !place.startsWith(`${prefix}${person}:`));
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

function forget(which: (place: string) => boolean): void {
  try {
    const places = Object.keys(sessionStorage).filter((place) => place.startsWith(prefix));
    for (const place of places.filter(which)) sessionStorage.removeItem(place);
  } catch {
    // No storage: nothing is kept.
  }
}

onSessionChange(() => {
  if (currentSession().status === 'out') forget(() => true);
});
