import { ThemeProvider } from '@mui/material';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, type RenderResult, render } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach } from 'vitest';
import { createQueryClient } from '../api/query-client.ts';
import { useHeldPage } from '../form/use-unsaved.ts';
import { theme } from '../theme/theme.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { Toasts } from '../ui/Toasts.tsx';
import './timeouts.ts';

afterEach(cleanup);

/** Provides the question about unsaved input, as around all pages. */
function Held({ children }: { children: ReactNode }) {
  useHeldPage();
  return children;
}

/** Renders a screen as in the application: theme, cache, router, toasts and dialogs. */
export function renderScreen(
  screen: ReactElement,
  path = '/',
): RenderResult & { router: ReturnType<typeof createMemoryRouter> } {
  const router = createMemoryRouter([{ path: '*', element: <Held>{screen}</Held> }], { initialEntries: [path] });
  const result = render(
    <ThemeProvider theme={theme}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
        <Toasts />
        <ConfirmDialog />
      </QueryClientProvider>
    </ThemeProvider>,
  );
  return { ...result, router };
}
