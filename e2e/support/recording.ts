import { expect, type Page } from '@playwright/test';

/** A page of any browser driver. */
interface Evaluates {
  evaluate(work: () => Promise<Stored[]>): Promise<Stored[]>;
}
interface Stored {
  readonly length: number;
  readonly size: number;
}

/**
 * Waits until every track that the page records has this much in the browser's storage, ms; with video, which comes two seconds after the
 * file's header.
 */
export async function expectRecorded(page: Evaluates, ms: number, tracks = 2): Promise<void> {
  await expect
    .poll(
      async () =>
        (await page.evaluate(storedLengths)).filter(({ length, size }) => length >= ms && size > minBytes).length,
      { timeout: 30_000 },
    )
    .toBeGreaterThanOrEqual(tracks);
}

/** The number of segments in the browser's storage. */
export const storedSegments = async (page: Page): Promise<number> => (await page.evaluate(storedLengths)).length;

/** The number of chunks in the browser's files and in its database. */
export const storedChunks = (page: Page): Promise<{ files: number; database: number }> => page.evaluate(countChunks);

/** More than a file's header, bytes. */
const minBytes = 5_000;

/** Runs in the page: the lengths (ms) and sizes (bytes) of the stored segments. */
async function storedLengths(): Promise<Stored[]> {
  const opening = indexedDB.open('roomside-recordings');
  return new Promise((resolve, reject) => {
    // Not created by the page yet.
    opening.onupgradeneeded = () => opening.transaction?.abort();
    opening.onerror = () => resolve([]);
    opening.onsuccess = () => {
      const request = opening.result.transaction('segments').objectStore('segments').getAll();
      request.onerror = () => reject(request.error ?? new Error('unreadable'));
      request.onsuccess = () => {
        opening.result.close();
        const segments: { started: number; lastAt: number; size: number }[] = request.result;
        resolve(segments.map(({ started, lastAt, size }) => ({ length: lastAt - started, size })));
      };
    };
  });
}

/** Runs in the page. */
async function countChunks(): Promise<{ files: number; database: number }> {
  let files = 0;
  const root = await navigator.storage.getDirectory?.();
  const folder = await root?.getDirectoryHandle('recordings', { create: true });
  for await (const segment of folder?.values() ?? []) {
    if (segment instanceof FileSystemDirectoryHandle) for await (const _ of segment.keys()) files += 1;
  }
  const database = await new Promise<number>((resolve, reject) => {
    const opening = indexedDB.open('roomside-recordings');
    opening.onerror = () => reject(opening.error ?? new Error('unreadable'));
    opening.onsuccess = () => {
      const request = opening.result.transaction('chunks').objectStore('chunks').count();
      request.onsuccess = () => {
        opening.result.close();
        resolve(request.result);
      };
    };
  });
  return { files, database };
}
