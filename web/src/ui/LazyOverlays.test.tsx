import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { confirm } from './confirm.ts';
import { LazyOverlays } from './LazyOverlays.tsx';
import { toast } from './toast.ts';
import '../testing/timeouts.ts';

afterEach(cleanup);

test('overlays: are loaded with the first toast, and show it', async () => {
  const { container } = render(<LazyOverlays />);
  expect(container.childElementCount).toBe(0);
  toast.info('The patient has been notified.');
  expect(await screen.findByText('The patient has been notified.', undefined, { timeout: 15_000 })).toBeDefined();
  const answer = confirm({ text: 'Leave?', yes: 'Leave', no: 'Stay' });
  await userEvent.click(await screen.findByRole('button', { name: 'Leave' }));
  expect(await answer).toBe(true);
});
