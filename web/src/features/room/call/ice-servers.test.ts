import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { IceServers } from './ice-servers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turn = (username: string) => [{ urls: 'turn:turn.test', username, credential: 'x' }];

function build(read: () => Promise<RTCIceServer[]>) {
  const changes: RTCIceServer[][] = [];
  const servers = new IceServers({
    clock: systemClock,
    initial: turn('old'),
    read,
    onChange: (next) => changes.push(next),
  });
  return { servers, changes };
}

test('credentials: are read once for several peers, and not again within a minute', async () => {
  const read = vi.fn(async () => turn('new'));
  const { servers, changes } = build(read);
  await servers.refresh();
  expect(read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all([servers.refresh(), servers.refresh()]);
  await servers.refresh();
  expect(read).toHaveBeenCalledTimes(1);
  expect(changes).toEqual([turn('new')]);
  expect(servers.configuration(true)).toEqual({ iceServers: turn('new'), iceTransportPolicy: 'relay' });
});

test.each(['hangs', 'fails'])('server that %s: the old credentials are used within 0.8 s', async (how) => {
  const { servers } = build(() => (how === 'hangs' ? new Promise(() => {}) : Promise.reject(new Error('away'))));
  await vi.advanceTimersByTimeAsync(60_000);
  let done = false;
  void servers.refresh().then(() => (done = true));
  await vi.advanceTimersByTimeAsync(800);
  expect(done).toBe(true);
  expect(servers.configuration(false)).toEqual({ iceServers: turn('old') });
});

test('relay: exists only with a TURN server', () => {
  const parts = { clock: systemClock, read: async () => [], onChange: () => {} };
  expect(new IceServers({ ...parts, initial: [{ urls: ['stun:stun.test'] }] }).hasRelay).toBe(false);
  expect(new IceServers({ ...parts, initial: turn('one') }).hasRelay).toBe(true);
});
