import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OfflineError, ProblemError } from '../../api/problem.ts';
import { notesDrafts } from './notes-drafts.ts';
import { createNotesSaver } from './notes-saver.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const drafts = notesDrafts(7, 1);
beforeEach(() => drafts.drop());

/** A saver of 'old', version 3, whose calls the test resolves. */
function open(stored = { notes: 'old', notesVersion: 3 }) {
  const saves: { notes: string; version: number; done: (version: number) => void; fail: (error: unknown) => void }[] =
    [];
  const saver = createNotesSaver({
    ...stored,
    drafts,
    delayMs: 2_000,
    save: (notes, version) => new Promise((done, fail) => void saves.push({ notes, version, done, fail })),
  });
  saver.start();
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const stale = (notes: string, notesVersion: number) =>
    new ProblemError({ status: 409, code: 'stale', current: { notes, notesVersion } });
  return { saver, saves, settle, stale, last: () => saves.at(-1) };
}

test('notes: are saved 2 s after the last key, with a badge for 1 s', async () => {
  const { saver, saves, settle } = open();
  saver.change('o');
  await vi.advanceTimersByTimeAsync(1_999);
  saver.change('on');
  await vi.advanceTimersByTimeAsync(1_999);
  expect(saves).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(saves).toMatchObject([{ notes: 'on', version: 3 }]);
  expect(saver.getState().status).toBe('saving');
  saves[0]?.done(4);
  await settle();
  expect(saver.getState().status).toBe('saved');
  await vi.advanceTimersByTimeAsync(999);
  expect(saver.getState().status).toBe('saved');
  await vi.advanceTimersByTimeAsync(1);
  expect(saver.getState()).toEqual({ text: 'on', status: 'idle' });
});

test('text typed during a save: is saved next, with the new version', async () => {
  const { saver, saves, settle, last } = open();
  saver.change('a');
  await vi.advanceTimersByTimeAsync(2_000);
  saver.change('ab');
  saves[0]?.done(4);
  await settle();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(last()).toMatchObject({ notes: 'ab', version: 4 });
});

test('text typed during a save, then left: is saved before the page is gone', async () => {
  const { saver, saves, settle, last } = open();
  saver.change('a');
  await vi.advanceTimersByTimeAsync(2_000);
  saver.change('ab');
  const stopped = saver.stop();
  await settle();
  expect(saves).toHaveLength(1);
  saves[0]?.done(4);
  await settle();
  expect(last()).toMatchObject({ notes: 'ab', version: 4 });
  last()?.done(5);
  await stopped;
  expect(saver.getState().text).toBe('ab');
  expect(drafts.load()).toBeUndefined();
});

test('text that equals the stored one: is not sent', async () => {
  const { saver, saves } = open();
  saver.change('olds');
  saver.change('old');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(saves).toHaveLength(0);
  expect(saver.getState().status).toBe('idle');
});

test.each([
  ['both', 'theirs\n\nmine'],
  ['mine', 'mine'],
] as const)('conflict: keeps both texts and asks; %s is saved over the other', async (choice, expected) => {
  const { saver, saves, settle, stale, last } = open();
  saver.change('mine');
  await vi.advanceTimersByTimeAsync(2_000);
  saves[0]?.fail(stale('theirs', 5));
  await settle();
  expect(saver.getState()).toEqual({ text: 'mine', status: 'conflict', other: 'theirs' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saves).toHaveLength(1);
  saver.resolve(choice);
  expect(last()).toMatchObject({ notes: expected, version: 5 });
});

test('conflict: the other text can be used', async () => {
  const { saver, saves, settle, stale } = open();
  saver.change('mine');
  await vi.advanceTimersByTimeAsync(2_000);
  saves[0]?.fail(stale('theirs', 5));
  await settle();
  saver.resolve('theirs');
  expect(saver.getState()).toEqual({ text: 'theirs', status: 'idle' });
  expect(saves).toHaveLength(1);
});

test('lost connection: is retried until it works', async () => {
  const { saver, saves, settle, last } = open();
  saver.change('new');
  await vi.advanceTimersByTimeAsync(2_000);
  saves[0]?.fail(new OfflineError('away'));
  await settle();
  expect(saver.getState()).toEqual({ text: 'new', status: 'failed' });
  await vi.advanceTimersByTimeAsync(5_000);
  last()?.done(4);
  await settle();
  expect(saver.getState().status).toBe('saved');
});

test('refusal: shows its text and waits for a change', async () => {
  const { saver, saves, settle } = open();
  saver.change('4242 4242 4242 4242');
  await vi.advanceTimersByTimeAsync(2_000);
  saves[0]?.fail(new ProblemError({ status: 422, code: 'card-number' }));
  await settle();
  expect(saver.getState()).toMatchObject({ status: 'refused', error: 'Please don’t enter card numbers here.' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saves).toHaveLength(1);
});

test('newer version: is shown, unless there is unsaved text', () => {
  const { saver } = open();
  saver.adopt('older', 2);
  expect(saver.getState().text).toBe('old');
  saver.adopt('newer', 4);
  expect(saver.getState().text).toBe('newer');
  saver.change('newer and mine');
  saver.adopt('newest', 5);
  expect(saver.getState().text).toBe('newer and mine');
});

describe('unsaved notes of a page that was left', () => {
  test('are saved first when the notes are opened again', async () => {
    const left = open();
    left.saver.change('new');
    const { saver, saves, settle } = open();
    expect(saver.getState().text).toBe('new');
    await vi.advanceTimersByTimeAsync(0);
    expect(saves).toMatchObject([{ notes: 'new', version: 3 }]);
    saves[0]?.done(4);
    await settle();
    expect(drafts.load()).toBeUndefined();
  });

  test('notes over others that have changed since: become a conflict, also when that is left and opened again', async () => {
    open().saver.change('mine');
    for (let time = 0; time < 2; time += 1) {
      const { saver, saves, settle, stale } = open({ notes: 'theirs', notesVersion: 5 });
      await vi.advanceTimersByTimeAsync(0);
      expect(saves).toMatchObject([{ notes: 'mine', version: 3 }]);
      saves[0]?.fail(stale('theirs', 5));
      await settle();
      expect(saver.getState()).toEqual({ text: 'mine', status: 'conflict', other: 'theirs' });
    }
  });

  test('are saved once when the page is left, and not retried after it', async () => {
    const { saver, saves, settle } = open();
    saver.change('new');
    void saver.stop();
    saves[0]?.fail(new OfflineError('away'));
    await settle();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(saves).toHaveLength(1);
    expect(drafts.load()).toEqual({ text: 'new', version: 3 });
  });

  test('are gone for another user of the tab', () => {
    open().saver.change('new');
    notesDrafts(8, 1);
    expect(drafts.load()).toBeUndefined();
  });
});
