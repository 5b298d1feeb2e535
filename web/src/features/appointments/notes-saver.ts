import { wordsFor } from '../../api/errors.ts';
import { isRefusal, OfflineError, ProblemError } from '../../api/problem.ts';

/** CONST-2: notes are saved after this long without typing, here and in the room; the badge stays; ms. */
export const notesDelay = { form: 2_000, room: 3_000 } as const;
const badgeMs = 1_000;
/** After a failure that may pass, ms. */
const retryMs = 5_000;

export interface NotesState {
  text: string;
  status: 'idle' | 'typing' | 'saving' | 'saved' | 'failed' | 'refused' | 'conflict';
  /** Why the server refused. */
  error?: string;
  /** With 'conflict': what somebody else has saved. */
  other?: string;
}

interface Parts {
  notes: string;
  notesVersion: number;
  /** Saves a text over the version that was read; answers the new version. */
  save: (notes: string, notesVersion: number) => Promise<number>;
  delayMs: number;
}

export type NotesSaver = ReturnType<typeof createNotesSaver>;

/**
 * STATE-20: keeps notes saved while they are typed. One save at a time; what is typed meanwhile follows; a conflict
 * keeps both texts and waits for an answer; a lost connection is tried again.
 */
export function createNotesSaver({ notes, notesVersion, save, delayMs }: Parts) {
  let state: NotesState = { text: notes, status: 'idle' };
  let stored = { text: notes, version: notesVersion };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();

  function set(next: NotesState): void {
    state = next;
    for (const listener of [...listeners]) listener();
  }

  function later(ms: number, then: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    const { text, status } = state;
    if (status === 'saving' || status === 'conflict') return;
    if (text === stored.text) return set({ text, status: 'idle' });
    set({ text, status: 'saving' });
    try {
      const version = await save(text, stored.version);
      accepted(text, version);
    } catch (error) {
      failed(error);
    }
  }

  function accepted(text: string, version: number): void {
    stored = { text, version };
    if (state.text !== text) return typing(state.text);
    set({ text, status: 'saved' });
    later(badgeMs, () => set({ text: state.text, status: 'idle' }));
  }

  function failed(error: unknown): void {
    const { text } = state;
    if (isRefusal(error, 'stale')) {
      const current = error.current as { notes: string; notesVersion: number };
      if (current.notes === text) return accepted(text, current.notesVersion);
      stored = { text: current.notes, version: current.notesVersion };
      return set({ text, status: 'conflict', other: current.notes });
    }
    const mayPass = error instanceof OfflineError || (error instanceof ProblemError && error.status >= 429);
    if (!mayPass) return set({ text, status: 'refused', error: wordsFor(error) });
    set({ text, status: 'failed' });
    later(retryMs, () => void flush());
  }

  function typing(text: string): void {
    set({ text, status: 'typing' });
    later(delayMs, () => void flush());
  }

  return {
    getState: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Another key was pressed. */
    change(text: string): void {
      // While a save runs or a question stands, the text only grows; it is looked at again afterwards.
      if (state.status === 'saving' || state.status === 'conflict') set({ ...state, text });
      else typing(text);
    },

    /** Saves what is not saved yet, now. */
    flush,

    /** Answers a conflict. */
    resolve(choice: 'both' | 'mine' | 'theirs'): void {
      if (state.status !== 'conflict') return;
      const { other = '', text } = state;
      if (choice === 'theirs') return set({ text: other, status: 'idle' });
      set({ text: choice === 'both' ? `${other}\n\n${text}` : text, status: 'typing' });
      void flush();
    },

    /** A newer version was read: it is shown unless something is being typed. */
    adopt(text: string, version: number): void {
      const isQuiet = state.status === 'idle' || state.status === 'saved';
      if (!isQuiet || version <= stored.version) return;
      stored = { text, version };
      set({ text, status: 'idle' });
    },
  };
}
