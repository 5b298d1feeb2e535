import { ThemeProvider } from '@mui/material';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createHashRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from './api/query-client.ts';
import { takeReturn } from './api/sign-in.ts';
import { hub } from './hub/hub.ts';
import { guarded } from './route-parts.ts';
import { addStaffRoutes, routes } from './routes.tsx';
import { fakeServer } from './testing/server.ts';
import { theme } from './theme/theme.ts';
import './testing/timeouts.ts';

let router: ReturnType<typeof createHashRouter>;

function open(path: string) {
  location.hash = `#${path}`;
  router = createHashRouter(routes, { patchRoutesOnNavigation: addStaffRoutes });
  render(
    <ThemeProvider theme={theme}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ThemeProvider>,
  );
}

/** Unmounts the page and detaches its router from the address. */
function close() {
  cleanup();
  router.dispose();
}

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  fakeServer({ 'POST /api/auth/refresh': () => ({ signedIn: false }) });
});
afterEach(() => {
  vi.useRealTimers();
  close();
});

test('routes: use the hash; the default is /link, unknown paths go to /not-found, and /offline exists @ROUTE-1', async () => {
  open('/');
  expect(await screen.findByRole('heading', { name: 'Welcome' })).toBeDefined();
  expect(location.hash).toBe('#/link');
  close();
  open('/no/such/page');
  expect(await screen.findByText('You have requested an invalid route')).toBeDefined();
  expect(location.hash).toBe('#/not-found');
  close();
  open('/offline');
  expect(await screen.findByText('You seem offline')).toBeDefined();
});

test('pages of staff: are added with the first of their addresses, also a typed one', async () => {
  open('/link');
  expect(await screen.findByRole('heading', { name: 'Welcome' })).toBeDefined();
  void router.navigate('/admin/user/edit/7?x=1');
  await waitFor(() => expect(location.hash).toBe('#/login'));
  expect(takeReturn()).toBe('/admin/user/edit/7?x=1');
  close();
  open('/patient-list');
  await waitFor(() => expect(location.hash).toBe('#/login'));
  expect(takeReturn()).toBe('/patient-list');
});

test('guarded page: redirects to the sign-in and is remembered with its query', async () => {
  location.hash = '#/patient-list?page=2';
  const Page = () => <p>page</p>;
  router = createHashRouter([
    { path: '/patient-list', Component: Page, middleware: guarded },
    { path: '/login', Component: Page },
  ]);
  await waitFor(() => expect(location.hash).toBe('#/login'));
  expect(takeReturn()).toBe('/patient-list?page=2');
});

test('not-found page: shows its text and whom to contact @MISSING-1', async () => {
  open('/nonsense');
  expect(await screen.findByText('You have requested an invalid route')).toBeDefined();
  expect(screen.getByText(/please contact the developers/)).toBeDefined();
});

test('offline page: pings the server every 2 s, also without an answer, and goes back when it responds @MISSING-2', async () => {
  const server = fakeServer({
    'POST /api/auth/refresh': () => ({ signedIn: false }),
    'GET /ping': () => {
      throw new TypeError('network');
    },
  });
  open('/not-found');
  await screen.findByText('You have requested an invalid route');
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await router.navigate('/offline');
  expect(await screen.findByRole('heading', { name: 'OH NO...' })).toBeDefined();
  expect(screen.getByText('You seem offline')).toBeDefined();
  const restart = vi.spyOn(hub, 'restart').mockImplementation(() => undefined);
  const pings = () => server.asked.filter(({ path }) => path === '/ping').length;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(pings()).toBe(1);
  fireEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(pings()).toBe(2));
  // A server that does not answer.
  server.handlers['GET /ping'] = () => new Promise(() => undefined);
  const before = pings();
  await vi.advanceTimersByTimeAsync(6_000);
  expect(pings()).toBeGreaterThanOrEqual(before + 3);
  expect(restart).not.toHaveBeenCalled();
  server.handlers['GET /ping'] = () => ({ ok: true });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await screen.findByText('You have requested an invalid route')).toBeDefined();
  expect(restart).toHaveBeenCalledOnce();
});
