import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Toasts } from './Toasts.tsx';
import { toast } from './toast.ts';

afterEach(cleanup);

function PageWithToasts({ canSave }: { canSave: boolean }) {
  return (
    <>
      <h1 tabIndex={-1}>Patients</h1>
      {canSave && <button type="button">Save</button>}
      <Toasts />
    </>
  );
}

test('toast that is closed by the keyboard: the focus returns to where it was, or to the title when that is gone', () => {
  const { rerender } = render(<PageWithToasts canSave />);
  const focusOn = (name: string) => act(() => screen.getByRole('button', { name }).focus());
  focusOn('Save');
  act(() => void toast.info('Saved.'));
  focusOn('Close');
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Save' }));

  act(() => void toast.info('Saved again.'));
  focusOn('Close');
  rerender(<PageWithToasts canSave={false} />);
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Patients' }));
});

test('toast that can wait: is shown after one with an action, and immediately otherwise', () => {
  render(<Toasts />);
  const says = () => screen.getByRole('status').textContent;
  const close = () => fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  act(() => void toast.info('A camera was connected.', { action: { label: 'Use it', run: () => undefined } }));
  act(() => void toast.info('Ann has left.', { canWait: true }));
  act(() => void toast.info('Your microphone is back on.', { canWait: true }));
  expect(says()).toContain('A camera was connected.');
  close();
  expect(says()).toBe('Your microphone is back on.');
  act(() => void toast.info('Ann has joined.', { canWait: true }));
  expect(says()).toBe('Ann has joined.');
  act(() => void toast.success('Saved.'));
  expect(says()).toBe('Saved.');
  close();
  expect(screen.queryByRole('status')).toBeNull();
});
