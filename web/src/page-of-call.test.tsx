import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { OfflineError } from './api/problem.ts';
import { Form } from './form/Form.tsx';
import { SubmitButton } from './form/SubmitButton.tsx';
import { TextInput } from './form/TextInput.tsx';
import { useContractForm } from './form/use-contract-form.ts';
import { useStale } from './form/use-stale.ts';
import { useGoBack } from './go-back.ts';
import { useNavigateAfterCall } from './page-of-call.ts';
import { Toasts } from './ui/Toasts.tsx';
import { toast } from './ui/toast.ts';
import './testing/timeouts.ts';

const schema = z.object({ name: z.string() });
let call: PromiseWithResolvers<'saved' | 'stale'>;

function Editor({ isBack = false }: { isBack?: boolean }) {
  const form = useContractForm(schema, { defaultValues: { name: 'Ada' } });
  const stale = useStale(form);
  const navigate = useNavigateAfterCall();
  const goBack = useGoBack('/list');
  async function submit() {
    if ((await call.promise) === 'stale') stale.merge({ name: 'Grace' });
    else await (isBack ? goBack() : navigate('/list'));
  }
  return (
    <Form form={form} onSubmit={submit}>
      <TextInput name="name" label="Name" />
      <SubmitButton />
    </Form>
  );
}

/** Shows the editor and begins a save. */
async function beginSave(path = '/edit') {
  call = Promise.withResolvers();
  const page = Promise.withResolvers<{ Component: () => string }>();
  const router = createMemoryRouter(
    [
      { path: '/edit', element: <Editor /> },
      { path: '/edit-back', element: <Editor isBack /> },
      { path: '/slow', lazy: () => page.promise },
      { path: '*', element: null },
    ],
    { initialEntries: ['/before', path] },
  );
  render(
    <>
      <RouterProvider router={router} />
      <Toasts />
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  return { router, openSlowPage: () => page.resolve({ Component: () => 'slow page' }) };
}

/** Ends the save, with everything that follows from it. */
const end = (how: () => void) =>
  act(async () => {
    how();
    await new Promise((resolve) => setTimeout(resolve));
  });
const saved = () => call.resolve('saved');

afterEach(() => {
  cleanup();
  toast.pageChanged();
  toast.pageChanged();
});

test.each([
  ['/edit', '/list'],
  ['/edit-back', '/before'],
])('save from %s: opens %s', async (path, next) => {
  const { router } = await beginSave(path);
  await end(saved);
  expect(router.state.location.pathname).toBe(next);
});

test.each(['/edit', '/edit-back'])(
  'save from %s that ends after another page was opened: stays there',
  async (path) => {
    const { router } = await beginSave(path);
    await act(() => router.navigate('/other'));
    await end(saved);
    expect(router.state.location.pathname).toBe('/other');
  },
);

test.each(['/edit', '/edit-back'])(
  'save from %s that ends while another page is loading: opens that page',
  async (path) => {
    const { router, openSlowPage } = await beginSave(path);
    act(() => void router.navigate('/slow'));
    await end(saved);
    openSlowPage();
    expect(await screen.findByText('slow page')).toBeDefined();
    expect(router.state.location.pathname).toBe('/slow');
  },
);

test('save that ends after its page was left and opened again: the new page is kept', async () => {
  const { router } = await beginSave();
  await act(() => router.navigate('/other'));
  await act(() => router.navigate('/edit'));
  await end(saved);
  expect(router.state.location.pathname).toBe('/edit');
});

test.each([
  [() => call.resolve('stale'), 'Your changes weren’t saved. Someone else has changed this in the meantime.'],
  [
    () => call.reject(new OfflineError()),
    'Your changes weren’t saved. You seem offline. Check your connection and try again.',
  ],
])('save that is refused after its page was left: is reported on the open page, %#', async (refuse, words) => {
  const { router } = await beginSave();
  await act(() => router.navigate('/other'));
  await end(refuse);
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain(words));
  expect(router.state.location.pathname).toBe('/other');
});
