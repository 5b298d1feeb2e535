import { act, cleanup, render, screen } from '@testing-library/react';
import { Component, type ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { later } from './later.tsx';

afterEach(cleanup);

const Hello = ({ name }: { name: string }) => <p>Hello {name}</p>;

test('code that is being loaded: the fallback is shown, and replaced as soon as the code is there', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof Hello>();
  const Part = later<{ name: string }>(
    () => promise,
    ({ name }) => <p>Loading {name}</p>,
  );
  render(<Part name="Ann" />);
  expect(screen.getByText('Loading Ann')).toBeDefined();
  // React.lazy would show the fallback for 300 ms.
  await act(async () => resolve(Hello));
  expect(screen.getByText('Hello Ann')).toBeDefined();
});

test('code that was loaded before: is shown without a fallback, and not loaded again', async () => {
  const load = vi.fn(async () => Hello);
  const fallback = vi.fn(() => null);
  const Part = later<{ name: string }>(load, fallback);
  await Part.preload();
  render(<Part name="Ann" />);
  expect(screen.getByText('Hello Ann')).toBeDefined();
  expect([load.mock.calls.length, fallback.mock.calls.length]).toEqual([1, 0]);
});

test('code that cannot be loaded: the error boundary gets the error, and the next try loads it', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let isOffline = true;
  const Part = later<{ name: string }>(async () => {
    if (isOffline) throw new Error('offline');
    return Hello;
  });
  class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
    override state: { error?: Error } = {};
    static getDerivedStateFromError = (error: Error) => ({ error });
    override render() {
      return this.state.error ? <p>{this.state.error.message}</p> : this.props.children;
    }
  }
  const { unmount } = render(
    <Boundary>
      <Part name="Ann" />
    </Boundary>,
  );
  expect(await screen.findByText('offline')).toBeDefined();
  unmount();
  isOffline = false;
  render(<Part name="Ann" />);
  expect(await screen.findByText('Hello Ann')).toBeDefined();
  vi.restoreAllMocks();
});
