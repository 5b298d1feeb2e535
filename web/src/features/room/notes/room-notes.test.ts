import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { notesDrafts } from '../../appointments/notes-drafts.ts';
import { systemClock } from '../core/clock.ts';
import { RoomNotes } from './room-notes.ts';

const drafts = notesDrafts(7, 1);
beforeEach(() => {
  vi.useFakeTimers();
  drafts.drop();
});
afterEach(() => void vi.useRealTimers());

/** Notes whose server has 'old', and fails the first `failures` reads. */
function open(failures = 0) {
  const saves: string[] = [];
  let reads = 0;
  const notes = new RoomNotes({
    read: async () => {
      reads += 1;
      if (reads <= failures) throw new Error('away');
      return { notes: 'old', notesVersion: 3 };
    },
    save: async (text, version) => {
      saves.push(text);
      return version + 1;
    },
    drafts,
    clock: systemClock,
  });
  return { notes, saves, reads: () => reads };
}

test('notes in the room: are read when opened, and saved 3 s after the last key', async () => {
  const { notes, saves, reads } = open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(0);
  notes.show();
  await vi.advanceTimersByTimeAsync(0);
  const { saver } = notes.view.get();
  expect(saver?.getState().text).toBe('old');
  saver?.change('new');
  await vi.advanceTimersByTimeAsync(2_999);
  expect(saves).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(saves).toEqual(['new']);
  notes.hide();
  notes.show();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads()).toBe(2);
  expect(saver?.getState().text).toBe('new');
});

test('notes that cannot be read: are tried again until the room is left', async () => {
  const { notes, reads } = open(2);
  notes.show();
  await vi.advanceTimersByTimeAsync(0);
  expect(notes.view.get().load).toBe('failed');
  await vi.advanceTimersByTimeAsync(2_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([notes.view.get().load, reads()]).toEqual(['ready', 3]);
  const left = open(5);
  left.notes.show();
  await vi.advanceTimersByTimeAsync(0);
  await left.notes.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(left.reads()).toBe(1);
});

test('closing the panel and leaving the room: save immediately', async () => {
  const { notes, saves } = open();
  notes.show();
  await vi.advanceTimersByTimeAsync(0);
  notes.view.get().saver?.change('one');
  notes.hide();
  await vi.advanceTimersByTimeAsync(0);
  notes.view.get().saver?.change('two');
  await notes.stop();
  expect(saves).toEqual(['one', 'two']);
  expect(drafts.load()).toBeUndefined();
});

test('notes that a reload left unsaved: are saved when the room is entered', async () => {
  const none = open();
  none.notes.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(none.reads()).toBe(0);
  drafts.keep({ text: 'kept', version: 3 });
  const { notes, saves } = open();
  notes.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(saves).toEqual(['kept']);
});
