import { expect, test } from 'vitest';
import { VideoScreen } from './video-screen.ts';

/** A video element that reaches a position when the test says so. */
function element() {
  const video = document.createElement('video');
  const state = { readyState: 0, seeking: false, currentTime: 0, duration: 10 };
  for (const name of ['readyState', 'seeking', 'duration'] as const)
    Object.defineProperty(video, name, { get: () => state[name] });
  Object.defineProperty(video, 'currentTime', {
    get: () => state.currentTime,
    set: (position: number) => {
      Object.assign(state, { currentTime: position, seeking: true });
    },
  });
  const fire = (name: string, next: Partial<typeof state>) => {
    Object.assign(state, next);
    video.dispatchEvent(new Event(name));
  };
  return { video, state, fire };
}

test('position: is kept while the segment loads, and while another position is being reached', () => {
  const { video, state, fire } = element();
  const screen = new VideoScreen(video, (segment) => `/${segment}`);
  screen.load('a', 3);
  screen.seek(4);
  expect(screen.position).toBe(4);
  fire('loadedmetadata', { readyState: 1 });
  expect(state).toMatchObject({ currentTime: 4, seeking: true });
  // Back to the start before it is there.
  screen.seek(0);
  expect([screen.position, state.currentTime]).toEqual([0, 4]);
  fire('seeked', { seeking: false });
  expect([screen.position, state.currentTime]).toEqual([0, 0]);
  fire('seeked', { seeking: false });
  screen.seek(7);
  expect(state.currentTime).toBe(7);
});
