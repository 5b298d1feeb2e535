import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { isIdleHeld } from '../../../api/idle.ts';
import { useStayAwake } from './use-room.ts';

afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, 'wakeLock');
});

test('screen: stays on during a visit, again after the page was hidden, and may turn off after it', async () => {
  const locks: { release: () => Promise<void>; isHeld: boolean }[] = [];
  const request = vi.fn(async () => {
    const lock = {
      isHeld: true,
      release: async () => {
        lock.isHeld = false;
      },
    };
    locks.push(lock);
    return lock;
  });
  Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } });
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible');
  const show = async (state: DocumentVisibilityState) => {
    visibility.mockReturnValue(state);
    await act(async () => document.dispatchEvent(new Event('visibilitychange')));
  };

  const { rerender, unmount } = renderHook(({ live }) => useStayAwake(live), { initialProps: { live: false } });
  expect([request.mock.calls, isIdleHeld()]).toEqual([[], false]);
  await act(async () => rerender({ live: true }));
  expect([request.mock.calls, isIdleHeld()]).toEqual([[['screen']], true]);
  // The browser releases it while the page is hidden.
  await show('hidden');
  expect(locks).toHaveLength(1);
  await show('visible');
  expect(locks).toHaveLength(2);
  await act(async () => unmount());
  expect([locks[1]?.isHeld, isIdleHeld()]).toEqual([false, false]);
});

test('browser that refuses to keep the screen on: the visit goes on', async () => {
  const request = vi.fn(() => Promise.reject(new DOMException('', 'NotAllowedError')));
  Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } });
  const { unmount } = renderHook(() => useStayAwake(true));
  await act(async () => unmount());
  expect(request).toHaveBeenCalledOnce();
});
