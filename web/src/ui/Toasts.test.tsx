import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Toasts } from './Toasts.tsx';
import { toast } from './toast.ts';

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
