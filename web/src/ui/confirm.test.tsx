import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderScreen } from '../testing/render.tsx';
import { choose, confirm, dismissPageQuestions } from './confirm.ts';
import { toast, toastQueue } from './toast.ts';

const user = userEvent.setup();
const reloadLabels = { yes: 'Reload', no: 'Not now' };

test('question: resolves with the pressed button; Escape is no', async () => {
  renderScreen(<p>page</p>);
  const yes = confirm({
    title: 'A new version is available',
    text: 'Would you like to reload the application?',
    ...reloadLabels,
  });
  const dialog = await screen.findByRole('alertdialog', { name: 'A new version is available' });
  expect(dialog.textContent).toContain('Would you like to reload the application?');
  await user.click(within(dialog).getByRole('button', { name: 'Reload' }));
  expect(await yes).toBe(true);

  const no = confirm({ text: 'Would you like to finish this call?', yes: 'Finish call', no: 'Stay' });
  await screen.findByRole('alertdialog', { name: 'Would you like to finish this call?' });
  await user.keyboard('{Escape}');
  expect(await no).toBe(false);
});

test('question about a page: is dismissed when another page opens; one about the application stays', async () => {
  renderScreen(<p>page</p>);
  const invitation = confirm({
    text: 'Would you like to send an invitation?',
    yes: 'Send invitation',
    no: 'Cancel',
  });
  const reload = confirm({
    text: 'Would you like to reload the application?',
    ...reloadLabels,
    across: true,
  });
  await screen.findByRole('alertdialog', { name: 'Would you like to send an invitation?' });
  dismissPageQuestions();
  expect(await invitation).toBe(false);
  const dialog = await screen.findByRole('alertdialog', { name: 'Would you like to reload the application?' });
  await user.click(within(dialog).getByRole('button', { name: 'Reload' }));
  expect(await reload).toBe(true);
});

test('question: is the heading of its dialog when it has no title', async () => {
  renderScreen(<p>page</p>);
  const gone = confirm({
    text: 'Would you like to delete this record?',
    details: ['Zoe O’Brien'],
    yes: 'Delete',
    no: 'Cancel',
    danger: true,
  });
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Would you like to delete this record?' }));
  expect(dialog.getByRole('heading').textContent).toBe('Would you like to delete this record?');
  expect(dialog.getByRole('button', { name: 'Delete' }).className).toContain('colorError');
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(await gone).toBe(false);
});

test('questions with custom buttons: are shown one after another', async () => {
  renderScreen(<p>page</p>);
  const first = choose({
    title: 'Confirmation',
    text: 'Would you like to send an invitation?',
    choices: [
      { value: 'only', label: 'Invitation Only' },
      { value: 'connect', label: 'Invite and Connect' },
    ],
  });
  const second = confirm({ text: 'Second?', yes: 'Continue', no: 'Stop' });
  await user.click(await screen.findByRole('button', { name: 'Invite and Connect' }));
  expect(await first).toBe('connect');
  await user.click(
    within(await screen.findByRole('alertdialog', { name: 'Second?' })).getByRole('button', { name: 'Stop' }),
  );
  expect(await second).toBe(false);
});

test('newest toast: replaces the one before; a failed form closes a success', async () => {
  renderScreen(<p>page</p>);
  toast.error('Cannot connect to the messaging hub.');
  toast.error('Cannot connect to the messaging hub.');
  expect((await screen.findByRole('alert')).textContent).toContain('Cannot connect to the messaging hub.');
  toast.success('Updated.');
  expect((await screen.findByRole('status')).textContent).toContain('Updated.');
  expect(screen.queryByText('Cannot connect to the messaging hub.')).toBeNull();
  expect(toastQueue.get()).toHaveLength(1);
  toast.dismissSuccess();
  expect(toastQueue.get()).toEqual([]);
});

test('toast: is closed with its page, or stays on the next one when announced', () => {
  toast.success('Saved.');
  toast.pageChanged();
  expect(toastQueue.get()).toEqual([]);
  toast.success('Made.', { across: 'next' });
  toast.pageChanged();
  expect(toastQueue.get()).toHaveLength(1);
  toast.pageChanged();
  expect(toastQueue.get()).toEqual([]);
  toast.warning('Unstable.', { across: 'all' });
  for (let page = 0; page < 3; page += 1) toast.pageChanged();
  expect(toastQueue.get()).toHaveLength(1);
});
