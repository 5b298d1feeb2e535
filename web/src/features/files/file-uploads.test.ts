import type { AppointmentFile } from '@roomside/contract/files/calls.ts';
import { expect, test } from 'vitest';
import { OfflineError } from '../../api/problem.ts';
import { FileUploads, progressOf } from './file-uploads.ts';

interface Sent {
  name: string;
  progress: (percent: number) => void;
  signal: AbortSignal;
  done: () => void;
  fail: (error: unknown) => void;
}

/** Uploads whose sending the test controls. */
function open() {
  const sent: Sent[] = [];
  let stored = 0;
  const uploads = new FileUploads({
    send: ({ name }, progress, signal) =>
      new Promise<void>((done, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason));
        sent.push({ name, progress, signal, done, fail });
      }),
    onStored: () => {
      stored += 1;
    },
  });
  const states = () => uploads.get().map(({ name, state }) => `${name}: ${state.status}`);
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
  return { uploads, sent, states, settle, stored: () => stored };
}

const file = (name: string, size = 1000) => new File([new Uint8Array(size)], name);
const onServer = (name: string, size: number) => ({ name, size }) as AppointmentFile;

test('several files: are sent two at a time, with their progress together', async () => {
  const { uploads, sent, states, settle, stored } = open();
  uploads.add([file('a'), file('b', 3000), file('c')]);
  expect(states()).toEqual(['a: sending', 'b: sending', 'c: waiting']);
  sent[1]?.progress(50);
  expect(progressOf(uploads.get())).toEqual({ count: 3, percent: 30 });
  sent[0]?.done();
  await settle();
  expect(states()).toEqual(['a: done', 'b: sending', 'c: sending']);
  expect(stored()).toBe(1);
});

test('the server’s list: replaces finished uploads with the same name and size, each once', async () => {
  const { uploads, sent, states, settle } = open();
  uploads.add([file('a', 1), file('a', 1), file('b', 2)]);
  sent[0]?.done();
  sent[1]?.done();
  await settle();
  uploads.settle([onServer('a', 1), onServer('b', 2)]);
  expect(states()).toEqual(['a: done', 'b: sending']);
  uploads.settle([onServer('a', 1), onServer('a', 1)]);
  expect(states()).toEqual(['b: sending']);
});

test('a failed upload: says why, and can be sent again or removed', async () => {
  const { uploads, sent, states, settle } = open();
  uploads.add([file('a')]);
  sent[0]?.fail(new OfflineError('away'));
  await settle();
  expect(uploads.get()[0]?.state).toEqual({
    status: 'failed',
    why: 'You seem offline. Check your connection and try again.',
    mayRetry: true,
  });
  uploads.retry(uploads.get()[0]?.key ?? '');
  expect([states(), sent.length]).toEqual([['a: sending'], 2]);
  uploads.remove(uploads.get()[0]?.key ?? '');
  await settle();
  expect([states(), sent[1]?.signal.aborted]).toEqual([[], true]);
});

test('an empty file: is refused before it is sent', () => {
  const { uploads, sent } = open();
  uploads.add([file('folder', 0)]);
  expect(uploads.get()[0]?.state).toMatchObject({ status: 'failed', mayRetry: false });
  expect(sent).toEqual([]);
});

test('a cancelled upload: makes place for the next one', async () => {
  const { uploads, states, settle } = open();
  uploads.add([file('a'), file('b'), file('c')]);
  uploads.remove(uploads.get()[0]?.key ?? '');
  await settle();
  expect(states()).toEqual(['b: sending', 'c: sending']);
});
