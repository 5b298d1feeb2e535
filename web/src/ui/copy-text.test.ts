import { afterEach, expect, test, vi } from 'vitest';
import { copyText } from './copy-text.ts';
import { toast, toastQueue } from './toast.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});
const said = () => toastQueue.get().map(({ text }) => text);

test('copy: says what happened, also where the browser has no clipboard or refuses', async () => {
  const written: string[] = [];
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void written.push(text) } });
  expect(await copyText('link', 'Link copied.')).toBe(true);
  expect([written, said()]).toEqual([['link'], ['Link copied.']]);
  for (const clipboard of [undefined, { writeText: async () => Promise.reject(new Error('denied')) }]) {
    vi.stubGlobal('navigator', { clipboard });
    expect(await copyText('link', 'Link copied.')).toBe(false);
    expect(said()).toEqual(['Your browser doesn’t allow copying. The text is selected, so you can copy it yourself.']);
  }
});
