import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { holdIdle } from '../api/idle.ts';
import { renderScreen } from '../testing/render.tsx';
import { offerVersion } from './offer-version.ts';

test('new version: is not offered during a visit, and within a minute after it @MENU-6', async () => {
  vi.useFakeTimers();
  renderScreen(<p>page</p>);
  const question = () => screen.queryByRole('alertdialog', { name: 'A new version is available' });
  const endVisit = holdIdle();
  const reload = vi.fn();
  act(() => void offerVersion(reload));
  await act(() => vi.advanceTimersByTimeAsync(3600_000));
  expect(question()).toBeNull();
  endVisit();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  const dialog = within(question() as HTMLElement);
  expect(dialog.getByText('Would you like to reload the application?')).toBeDefined();
  fireEvent.click(dialog.getByRole('button', { name: 'Reload' }));
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(reload).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
