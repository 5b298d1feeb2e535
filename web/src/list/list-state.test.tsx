import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recallPersonal } from '../api/personal-storage.ts';
import { startSignIn } from '../api/sign-in.ts';
import { accessToken } from '../testing/server.ts';
import { useListState } from './list-state.ts';

beforeEach(() => {
  sessionStorage.clear();
  startSignIn('staff', accessToken({ sub: '7' }));
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const open = (entity = 'patients') => renderHook(() => useListState(entity, { sort: 'lastName asc' }));

test('list: remembers filter, sort, total and page per entity @ABOUT-5', () => {
  const first = open();
  act(() => first.result.current.setText('smi'));
  act(() => void vi.advanceTimersByTime(500));
  act(() => first.result.current.setSort('doB desc'));
  act(() => first.result.current.setTotal(61));
  act(() => first.result.current.setPage(2));
  first.unmount();

  expect(open().result.current).toMatchObject({
    text: 'smi',
    filter: 'smi',
    sort: 'doB desc',
    total: 61,
    pageIndex: 2,
  });
  expect(open('users').result.current).toMatchObject({ filter: '', sort: 'lastName asc', total: null, pageIndex: 0 });
});

test('search: is sent 500 ms after the last key, from the first page @ABOUT-6', () => {
  const { result } = open();
  act(() => result.current.setPage(3));
  act(() => result.current.setText('s'));
  act(() => void vi.advanceTimersByTime(400));
  act(() => result.current.setText('sm'));
  act(() => void vi.advanceTimersByTime(499));
  expect(result.current).toMatchObject({ text: 'sm', filter: '', pageIndex: 3 });
  act(() => void vi.advanceTimersByTime(1));
  expect(result.current).toMatchObject({ filter: 'sm', pageIndex: 0, total: null });
});

test('sort: is one text of column and direction; clearing removes it @ABOUT-8', () => {
  const { result } = open();
  act(() => result.current.setSort('created desc'));
  expect(JSON.parse(recallPersonal('list:patients') ?? '')).toMatchObject({ sort: 'created desc' });
  act(() => result.current.setSort(''));
  expect(result.current.sort).toBe('');
  expect(open().result.current.sort).toBe('');
});

test('another day: keeps filter and sort, and starts at its first page @ABOUT-5', () => {
  const { result, rerender } = renderHook(({ scope }) => useListState('appointments', { scope }), {
    initialProps: { scope: '2026-01-05' },
  });
  act(() => result.current.setSort('patient asc'));
  act(() => result.current.setTotal(30));
  act(() => result.current.setPage(1));
  rerender({ scope: '2026-01-06' });
  expect(result.current).toMatchObject({ sort: 'patient asc', total: null, pageIndex: 0 });
  act(() => result.current.setTotal(4));
  expect(result.current).toMatchObject({ total: 4, pageIndex: 0 });
});

test('another person at this browser: starts with an empty search @ABOUT-5', () => {
  const first = open();
  act(() => first.result.current.setText("O'Brien"));
  act(() => void vi.advanceTimersByTime(500));
  first.unmount();
  startSignIn('staff', accessToken({ sub: '8' }));
  expect(open().result.current).toMatchObject({ text: '', filter: '' });
});
