import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { rangeOf } from './send-bytes.ts';
import { limitBodyTime, withProgress } from './upload.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('withProgress', () => {
  const limits = { windowMs: 1000, minBytes: 10 };
  /** Yields a byte every `ms`. */
  async function* drip(ms: number, bytes = 30) {
    for (let i = 0; i < bytes; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      yield Buffer.from('x');
    }
  }
  const read = async (source: AsyncIterable<Buffer>, pause = 0) => {
    let size = 0;
    for await (const chunk of withProgress(source, limits)) {
      size += chunk.length;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return size;
  };
  /** Runs the timers until the work ends. */
  async function settled<T>(work: Promise<T>): Promise<T | string> {
    let result: T | string | undefined;
    void work.then(
      (value) => (result = value),
      (error: { code: string }) => (result = error.code),
    );
    while (result === undefined) await vi.advanceTimersByTimeAsync(50);
    return result;
  }

  test('a client that sends enough in each window has as long as it needs', async () => {
    vi.useFakeTimers();
    expect(await settled(read(drip(90)))).toBe(30);
  });

  test('a client that stops, or sends too little in a window: is refused', async () => {
    vi.useFakeTimers();
    expect(await settled(read(drip(5000)))).toBe('too-slow');
    expect(await settled(read(drip(150)))).toBe('too-slow');
  });

  test('the time of a slow reader does not count', async () => {
    vi.useFakeTimers();
    expect(await settled(read(drip(50), 2000))).toBe(30);
  });
});

test('limitBodyTime: ends a request whose body does not come', async () => {
  const server = limitBodyTime(http.createServer(), 20);
  server.on('request', (request, response) => request.resume().on('end', () => response.end('whole')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const status = (bytes: string) =>
    new Promise<number>((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': '5' } });
      request.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
      request.write(bytes);
    });
  expect(await status('half')).toBe(408);
  expect(await status('whole')).toBe(200);
  server.closeAllConnections();
  server.close();
});

test.each([
  [undefined, undefined],
  ['bytes=0-', { start: 0, end: 9 }],
  ['bytes=0-99', { start: 0, end: 9 }],
  ['bytes=9-9', { start: 9, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['items=0-1', undefined],
  ['bytes=a-b', undefined],
])('rangeOf(%j) of 10 bytes: %j', (header, expected) => {
  expect(rangeOf(header, 10)).toEqual(expected);
});
