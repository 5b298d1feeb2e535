import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { RetentionSection } from './RetentionSection.tsx';

const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

/** The section over stored terms; the first save is refused as stale, with `later` stored meanwhile. Returns what was sent. */
function open(later: object) {
  const saved: unknown[] = [];
  const stored = { chats: null, files: 12, recordings: 24, version: 3 };
  fakeServer({
    'GET /api/company/retention': () => (saved.length > 0 ? { ...stored, version: 4, ...later } : stored),
    'GET /api/company/retention/overdue': () => ({ chats: 0, files: 0, recordings: 0 }),
    'PUT /api/company/retention': ({ body }) => {
      saved.push(body);
      return saved.length === 1 ? problem(409, 'stale') : { version: 5 };
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<RetentionSection />);
  return saved;
}

const field = (name: string) => screen.findByRole('combobox', { name });
async function choose(name: string, term: string) {
  await user.click(await field(name));
  await user.click(await screen.findByRole('option', { name: term }));
}
const save = () => user.click(screen.getByRole('button', { name: 'Save' }));

test('terms changed meanwhile: the chosen ones stay, the notice has the others, and the next save keeps what is shown', async () => {
  const saved = open({ files: 36, chats: 6 });
  await choose('Files and photos', '5 years');
  await choose('Recordings', '10 years');
  await save();
  const notice = await screen.findByText('Someone else has changed this in the meantime.');
  expect(screen.getByText('Files and photos is now “3 years”.')).toBeDefined();
  expect(within(notice.closest('[role=alert]') as HTMLElement).queryByText(/^Recordings is/)).toBeNull();
  expect((await field('Files and photos')).textContent).toBe('5 years');
  expect((await field('Recordings')).textContent).toBe('10 years');
  expect((await field('Chats')).textContent).toBe('6 months');
  await save();
  await screen.findByText('The record has been saved.');
  expect(saved[1]).toEqual({ chats: 6, files: 60, recordings: 120, version: 4 });
  expect(screen.queryByText('Someone else has changed this in the meantime.')).toBeNull();
});

test('another page of the company was saved meanwhile: the chosen terms stay and are saved with the new version', async () => {
  const saved = open({});
  await choose('Chats', '1 year');
  await save();
  await screen.findByText('Someone else has changed this in the meantime.');
  expect((await field('Chats')).textContent).toBe('1 year');
  await save();
  await waitFor(() => expect(saved[1]).toEqual({ chats: 12, files: 12, recordings: 24, version: 4 }));
});

test('a save whose response was lost: is recognized as stored', async () => {
  const saved = open({ chats: 12 });
  await choose('Chats', '1 year');
  await save();
  await screen.findByText('The record has been saved.');
  expect(saved).toHaveLength(1);
  expect(screen.queryByText('Someone else has changed this in the meantime.')).toBeNull();
  expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
});

test('chosen terms that are not saved: leaving the page asks first', async () => {
  open({ chats: 12 });
  await choose('Chats', '1 year');
  expect(dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false);
  await save();
  await expect.poll(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(true);
});
