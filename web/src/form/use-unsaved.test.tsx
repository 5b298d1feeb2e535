import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderScreen } from '../testing/render.tsx';
import { useLeaveQuestion } from './use-unsaved.ts';

function TwoParts({ form, notes }: { form: boolean; notes: boolean }) {
  useLeaveQuestion(form, { text: 'Leave the form?', yes: 'Leave', no: 'Stay' });
  useLeaveQuestion(notes, { text: 'Leave the notes?', yes: 'Leave', no: 'Stay' });
  return <p>page</p>;
}

test.each([
  [true, false, 'Leave the form?'],
  [false, true, 'Leave the notes?'],
])(
  'two parts of a page hold it by turns, form %s, notes %s, without a warning of the router',
  async (form, notes, text) => {
    const user = userEvent.setup();
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { router } = renderScreen(<TwoParts form={form} notes={notes} />, '/here');
    await router.navigate('/there');
    expect(router.state.location.pathname).toBe('/here');
    await screen.findByRole('alertdialog', { name: text });
    await user.click(screen.getByRole('button', { name: 'Stay' }));
    await router.navigate('/there');
    await screen.findByRole('alertdialog', { name: text });
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/there'));
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  },
);

test('page without unsaved input: is left without a question', async () => {
  const { router } = renderScreen(<TwoParts form={false} notes={false} />, '/here');
  await router.navigate('/there');
  expect(router.state.location.pathname).toBe('/there');
});
