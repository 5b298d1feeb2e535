import type { Page } from '@playwright/test';

/** In the page. */
interface Held {
  isHeld: boolean;
  release(): void;
}

/** Lets the page read no file from an offset on, as from a disk that is asleep, until it is released. */
export async function holdReading(page: Page, offset: number) {
  await page.evaluate((limit) => {
    const scope = globalThis as unknown as Held;
    const { promise, resolve } = Promise.withResolvers<void>();
    scope.isHeld = false;
    scope.release = resolve;
    const { slice } = Blob.prototype;
    Blob.prototype.slice = function (start = 0, ...more) {
      const part = slice.call(this, start, ...more);
      if (start < limit) return part;
      const read = part.arrayBuffer.bind(part);
      part.arrayBuffer = async () => {
        scope.isHeld = true;
        await promise;
        return read();
      };
      return part;
    };
  }, offset);
  return {
    isHeld: () => page.evaluate(() => (globalThis as unknown as Held).isHeld),
    release: () => page.evaluate(() => (globalThis as unknown as Held).release()),
  };
}
