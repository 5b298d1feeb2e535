import { act, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderScreen } from '../testing/render.tsx';
import { SearchBox } from './SearchBox.tsx';

afterEach(() => vi.useRealTimers());

function open() {
  vi.useFakeTimers();
  renderScreen(
    <>
      <input aria-label="Company" />
      <SearchBox value="" onChange={() => undefined} />
    </>,
  );
}
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

test('search box: takes the focus 100 ms after it has appeared @CONST-3', () => {
  open();
  pass(99);
  expect(document.activeElement).not.toBe(screen.getByRole('searchbox'));
  pass(1);
  expect(document.activeElement).toBe(screen.getByRole('searchbox'));
});

test('search box: leaves the focus to someone who types in another field', () => {
  open();
  screen.getByLabelText('Company').focus();
  pass(1000);
  expect(document.activeElement).toBe(screen.getByLabelText('Company'));
});
