import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** A server whose responses to each file are given in order; 0 loses the response. */
function serve(responses: Record<string, number[]>) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const status = responses[path]?.shift() ?? 200;
    if (status === 0) throw new TypeError('Failed to fetch');
    return new Response('', { status });
  });
  return asked;
}

/** A fresh module, which has fetched nothing. */
async function load() {
  vi.resetModules();
  return (await import('./import-later.ts')).importLater;
}

const code = async () => 'code';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('code without files: is imported immediately', async () => {
  const importLater = await load();
  await expect(importLater(code)).resolves.toBe('code');
});

test('lost file and a restarting server: are asked again before the import; each file is fetched once', async () => {
  const importLater = await load();
  const asked = serve({ '/assets/a.js': [0, 503], '/assets/b.js': [] });
  const imported = vi.fn(code);
  const done = importLater(imported, ['assets/a.js', 'assets/b.js']);
  await vi.advanceTimersByTimeAsync(250);
  expect(imported).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(500);
  await expect(done).resolves.toBe('code');
  expect(asked).toEqual(['/assets/a.js', '/assets/b.js', '/assets/a.js', '/assets/a.js']);
  await importLater(imported, ['assets/b.js']);
  expect(asked).toHaveLength(4);
});

test('file that the server does not have, or that never comes: the import says why', async () => {
  const importLater = await load();
  const asked = serve({ '/assets/old.js': [404], '/assets/lost.js': [0, 0, 0, 0, 0, 0] });
  const fail = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  await expect(importLater(fail, ['assets/old.js'])).rejects.toThrow('dynamically imported');
  expect(asked).toHaveLength(1);
  const lost = importLater(fail, ['assets/lost.js']);
  await Promise.all([expect(lost).rejects.toThrow('dynamically imported'), vi.advanceTimersByTimeAsync(4_000)]);
  expect(asked).toHaveLength(6);
});

test('device without a network: waits for it, however long', async () => {
  const importLater = await load();
  serve({ '/assets/a.js': [0, 0, 0, 0, 0, 0, 0] });
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const imported = vi.fn(code);
  const done = importLater(imported, ['assets/a.js']);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(imported).not.toHaveBeenCalled();
  isOnline.mockReturnValue(true);
  serve({});
  dispatchEvent(new Event('online'));
  await expect(done).resolves.toBe('code');
});

test('style sheet: is added once, and applies before the code is imported', async () => {
  const importLater = await load();
  serve({});
  const imported = vi.fn(code);
  const done = importLater(imported, ['assets/a.css']);
  await vi.advanceTimersByTimeAsync(0);
  const links = document.head.querySelectorAll<HTMLLinkElement>('link[href="/assets/a.css"]');
  expect(links).toHaveLength(1);
  expect(imported).not.toHaveBeenCalled();
  links[0]?.dispatchEvent(new Event('load'));
  await expect(done).resolves.toBe('code');
});
