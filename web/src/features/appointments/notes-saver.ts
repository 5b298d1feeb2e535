import { wordsFor } from '../../api/errors.ts';
import { isRefusal, OfflineError, ProblemError } from '../../api/problem.ts';
import type { NotesDrafts } from './notes-drafts.ts';

/** CONST-2: delay after the last key, here and in the room; duration of the badge; ms. */
export const notesDelay = { form: 2_000, room: 3_000 } as const;
const badgeMs = 1_000;
/** Retry interval after a temporary failure, ms. */
const retryMs = 5_000;

export interface NotesState {
  text: string;
  status: 'idle' | 'typing' | 'saving' | 'saved' | 'failed' | 'refused' | 'conflict';
  /** The server's refusal. */
  error?: string;
  /** With 'conflict': the text that another user saved. */
  other?: string;
}

interface Parts {
  notes: string;
  notesVersion: number;
  /** Saves a text over the version that was read; returns the new version. */
  save: (notes: string, notesVersion: number) => Promise<number>;
  delayMs: number;
  /** Keeps unsaved text beyond the page. */
  drafts?: NotesDrafts;
}

/** A text and its version on the server. */
interface Stored {
  /** Undefined when only the version is known. */
  text: string | undefined;
  version: number;
}

export type NotesSaver = ReturnType<typeof createNotesSaver>;

/**
 * STATE-20: saves notes while they are typed. One save at a time; later text follows; a conflict keeps both texts until
 * the user chooses; a lost connection is retried. A text that was not saved before the page was left is saved first.
 */
export function createNotesSaver({ notes, notesVersion, save, delayMs, drafts }: Parts) {
  let state: NotesState = { text: notes, status: 'idle' };
  let stored: Stored = { text: notes, version: notesVersion };
  /** With 'conflict': what another user saved. */
  let theirs: Stored | undefined;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = Promise.resolve();
  const listeners = new Set<() => void>();

  function set(next: NotesState): void {
    state = next;
    if (next.text === stored.text && next.status !== 'conflict') drafts?.drop();
    else drafts?.keep({ text: next.text, version: stored.version });
    for (const listener of [...listeners]) listener();
  }

  function later(ms: number, then: () => void): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(then, ms);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    const { text, status } = state;
    if (status === 'saving') return running;
    if (status === 'conflict') return;
    if (text === stored.text) return set({ text, status: 'idle' });
    set({ text, status: 'saving' });
    running = store(text);
    return running;
  }

  async function store(text: string): Promise<void> {
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
      theirs = { text: current.notes, version: current.notesVersion };
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

  const draft = drafts?.load();
  if (draft && draft.text !== notes) {
    // Over a newer version it becomes a conflict.
    if (draft.version !== notesVersion) stored = { text: undefined, version: draft.version };
    state = { text: draft.text, status: 'typing' };
  }

  return {
    getState: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** The text has changed. */
    change(text: string): void {
      // During a save or a conflict the text is only stored; it is saved afterwards.
      if (state.status === 'saving' || state.status === 'conflict') set({ ...state, text });
      else typing(text);
    },

    /** Saves unsaved text immediately. */
    flush,

    /** The notes are shown (again): saves what an earlier page has left unsaved. */
    start(): void {
      stopped = false;
      if (state.status === 'typing') later(0, () => void flush());
    },

    /** The notes are left: saves once more. What fails stays in the drafts. */
    async stop(): Promise<void> {
      stopped = true;
      await flush();
      // Typed during the save that ran.
      if (state.status === 'typing') await flush();
    },

    /** Resolves a conflict. */
    resolve(choice: 'both' | 'mine' | 'theirs'): void {
      if (state.status !== 'conflict' || !theirs) return;
      const { text: other = '' } = theirs;
      const { text } = state;
      stored = theirs;
      if (choice === 'theirs') return set({ text: other, status: 'idle' });
      set({ text: choice === 'both' ? `${other}\n\n${text}` : text, status: 'typing' });
      void flush();
    },

    /** A newer version was read: shows it unless there is unsaved text. */
    adopt(text: string, version: number): void {
      const isQuiet = state.status === 'idle' || state.status === 'saved';
      if (!isQuiet || version <= stored.version) return;
      stored = { text, version };
      set({ text, status: 'idle' });
    },
  };
}
