import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../api/sign-in.ts';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer } from '../testing/server.ts';
import { Page } from './Page.tsx';
import { toast, toastQueue } from './toast.ts';

function signedIn(claims: object, waiting = 0) {
  fakeServer({ 'GET /api/waiting-room/count': () => waiting });
  startSignIn('staff', accessToken(claims));
}

beforeEach(() => {
  for (const { key } of toastQueue.get()) toast.dismiss(key);
  signedIn({ roles: 'D' });
});

test('heading: takes the focus and names the document, without a patient’s name', () => {
  renderScreen(
    <Page title="Maria Garcia" documentTitle="Patient">
      text
    </Page>,
  );
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Maria Garcia' }));
  expect(document.title).toBe('Patient · Roomside');
});

test('five taps on the title: show the build', () => {
  renderScreen(<Page title="Room">text</Page>);
  const title = screen.getByRole('heading', { name: 'Room' });
  for (let taps = 0; taps < 4; taps++) fireEvent.click(title);
  expect(screen.queryByRole('status')).toBeNull();
  fireEvent.click(title);
  expect(screen.getByRole('status').textContent).toContain(`Build ${__BUILD__}`);
});

test('search box: takes the focus after 100 ms', () => {
  vi.useFakeTimers();
  renderScreen(
    <Page title="Patients" search={{ value: '', onChange: () => undefined }}>
      text
    </Page>,
  );
  const box = screen.getByRole('searchbox', { name: 'Search' });
  act(() => void vi.advanceTimersByTime(99));
  expect(document.activeElement).not.toBe(box);
  act(() => void vi.advanceTimersByTime(1));
  expect(document.activeElement).toBe(box);
  vi.useRealTimers();
});

test('waiting room link: shows the waiting count, for staff of a company only @MENU-4', async () => {
  signedIn({ roles: 'U' }, 3);
  const { unmount } = renderScreen(<Page title="Patients">text</Page>);
  const link = await screen.findByRole('link', { name: 'Waiting Room 3 waiting' });
  expect(within(link).getByText('3')).toBeDefined();
  expect(link.getAttribute('href')).toBe('/waiting-room');
  unmount();

  signedIn({ roles: 'A', sub: '8' }, 0);
  const quiet = renderScreen(<Page title="Patients">text</Page>);
  // At 0 there is no badge.
  const bare = await screen.findByRole('link', { name: 'Waiting Room' });
  expect(bare.querySelector('.MuiBadge-invisible')).not.toBeNull();
  quiet.unmount();

  signedIn({ roles: 'A', sub: '9', company: undefined }, 3);
  renderScreen(<Page title="Companies">text</Page>);
  expect(screen.queryByRole('link', { name: /Waiting Room/ })).toBeNull();
});
