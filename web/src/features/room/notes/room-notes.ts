import type { NotesDrafts } from '../../appointments/notes-drafts.ts';
import { createNotesSaver, type NotesSaver, notesDelay } from '../../appointments/notes-saver.ts';
import { type Clock, retryMs } from '../core/clock.ts';
import { createStore, type Store } from '../core/store.ts';

export interface NotesView {
  /** failed: they could not be read yet, and another try follows. */
  load: 'idle' | 'loading' | 'failed' | 'ready';
  /** Set when `load` is 'ready'. */
  saver: NotesSaver | undefined;
}

interface Parts {
  /** Reads the stored notes. */
  read: () => Promise<{ notes: string; notesVersion: number }>;
  /** Saves a text over the version that was read; returns the new version. */
  save: (notes: string, notesVersion: number) => Promise<number>;
  drafts: NotesDrafts;
  clock: Clock;
}

/** The notes of the visit, for staff: read when they are first shown, saved while they are typed (STATE-20, CONST-2). */
export class RoomNotes {
  readonly view: Store<NotesView> = createStore<NotesView>({ load: 'idle', saver: undefined });
  readonly #parts: Parts;
  #left = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The room is entered: saves what was left unsaved, for example by a reload. */
  start(): void {
    if (this.#parts.drafts.load()) this.show();
  }

  /** The panel is opened. Notes that were changed elsewhere since are shown, unless there is unsaved text. */
  show(): void {
    const { load, saver } = this.view.get();
    if (load === 'idle') void this.#load();
    else if (saver) void this.#refresh(saver);
  }

  /** The panel is closed. */
  hide(): void {
    void this.view.get().saver?.flush();
  }

  /** The room is left: saves once more. What fails stays in the tab. */
  async stop(): Promise<void> {
    this.#left = true;
    await this.view.get().saver?.stop();
  }

  async #load(): Promise<void> {
    const { read, save, drafts, clock } = this.#parts;
    this.#set({ load: 'loading' });
    try {
      const saver = createNotesSaver({ ...(await read()), save, drafts, delayMs: notesDelay.room });
      if (this.#left) return;
      saver.start();
      this.#set({ load: 'ready', saver });
    } catch {
      this.#set({ load: 'failed' });
      clock.after(retryMs, () => {
        if (!this.#left) void this.#load();
      });
    }
  }

  async #refresh(saver: NotesSaver): Promise<void> {
    const read = await this.#parts.read().catch(() => undefined);
    if (read) saver.adopt(read.notes, read.notesVersion);
  }

  #set(part: Partial<NotesView>): void {
    this.view.set({ ...this.view.get(), ...part });
  }
}
