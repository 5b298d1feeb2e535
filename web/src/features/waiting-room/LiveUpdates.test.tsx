import 'temporal-polyfill/global';
import { act, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { type HubStatus, hub } from '../../hub/hub.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { staffSignIn } from '../../testing/staff-sign-in.ts';
import { Page } from '../../ui/Page.tsx';
import { LiveUpdates } from './LiveUpdates.tsx';

const company = {
  companyId: 1,
  companyName: 'River Clinic',
  timeZone: 'UTC',
  currency: 'USD',
  supportEmail: '',
  expirationDate: '2026-01-01',
};
const signIn = { ...staffSignIn, company: { ...company, expired: false } };
const patient = { peerId: '', roleId: 'P' as const, userId: null, patientId: 5, firstName: 'Mia', lastName: 'Obi' };
const arrival = {
  type: 0 as const,
  session: 'a'.repeat(32),
  appointment: {
    appointmentId: 9,
    appointmentUid: 'a'.repeat(32),
    doctorId: 3,
    startDate: '2026-05-04T10:00:00Z',
    patient: { firstName: 'Mia', lastName: 'Obi' },
    doctor: { firstName: 'Lena', lastName: 'Holm' },
    noCamera: false,
  },
};

type Notify = Parameters<typeof hub.onNotify>[0];
/** The listeners of the page, which get what the hub pushes. */
const listeners = new Set<Notify>();
beforeEach(() => {
  vi.spyOn(hub, 'start').mockImplementation(() => undefined);
  vi.spyOn(hub, 'onNotify').mockImplementation((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  listeners.clear();
});

/** Its code is loaded after the page. */
function Later() {
  const [isThere, setThere] = useState(false);
  return isThere ? <LiveUpdates /> : <button onClick={() => setThere(true)}>Load</button>;
}

function open(now: object, updates = <LiveUpdates />) {
  const server = fakeServer({
    'GET /api/sign-in': () => ({ ...signIn, ...now }),
    'GET /api/waiting-room/count': () => 1,
  });
  startSignIn('staff', accessToken({ roles: 'U' }));
  renderScreen(
    <>
      <Page title="Some page">text</Page>
      {updates}
    </>,
  );
  return server;
}
const link = () => screen.queryByRole('link', { name: /^Waiting Room/ });
const arrive = () => act(() => listeners.forEach((listener) => listener(arrival, patient)));

test('open pages: have the link to the waiting room, and show an arrival', async () => {
  open({});
  await waitFor(() => expect(link()?.textContent).toContain('1 waiting'));
  arrive();
  expect(await screen.findByRole('dialog', { name: 'Patient Arrived' })).toBeDefined();
});

test.each([
  ['an expired license', { company: { ...company, expired: true } }],
  ['a required second factor', { lacksFactor: { from: '2026-01-01', isDue: true } }],
])('pages closed by %s: have neither', async (_, now) => {
  open(now);
  await waitFor(() => expect(link()).toBeNull());
  await waitFor(() => expect(listeners.size).toBe(0));
  arrive();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('pages before the day of a required second factor: stay open', async () => {
  open({ lacksFactor: { from: '2099-01-01', isDue: false } });
  await waitFor(() => expect(link()?.textContent).toContain('1 waiting'));
  expect(listeners.size).toBe(1);
});

/** Replaces the hub's state. Returns the function that sets it. */
function fakeStates(): (status: HubStatus) => Promise<void> {
  let state = hub.getState();
  const watching = new Set<() => void>();
  vi.spyOn(hub, 'getState').mockImplementation(() => state);
  vi.spyOn(hub, 'onState').mockImplementation((listener) => {
    watching.add(listener);
    return () => watching.delete(listener);
  });
  return (status) => {
    state = { status };
    return act(async () => watching.forEach((listener) => listener()));
  };
}

test('hub that was connected before: what was pushed meanwhile is read again, and everything after a reconnect', async () => {
  const set = fakeStates();
  await set('connected');
  const { asked } = open({}, <Later />);
  await waitFor(() => expect(link()?.textContent).toContain('1 waiting'));
  act(() => screen.getByRole('button', { name: 'Load' }).click());
  const counts = () => asked.filter(({ path }) => path === '/api/waiting-room/count').length;
  const checks = () => asked.filter(({ path }) => path === '/api/sign-in').length;
  await waitFor(() => expect([counts(), checks()]).toEqual([2, 2]));
  await set('connecting');
  await set('connected');
  await waitFor(() => expect([counts(), checks()]).toEqual([3, 3]));
});

test('hub: the pages ask whether they are still open when the server closes it, not when a sign-out stops it', async () => {
  const set = fakeStates();
  const { asked } = open({});
  await waitFor(() => expect(link()?.textContent).toContain('1 waiting'));
  const checks = () => asked.filter(({ path }) => path === '/api/sign-in').length;
  const before = checks();
  await set('connected');
  await set('disconnecting');
  await set('disconnected');
  // The server would refuse it once the sign-in has ended.
  expect(checks()).toBe(before);
  await set('connecting');
  await set('connected');
  await waitFor(() => expect(checks()).toBeGreaterThan(before));
  const later = checks();
  await set('disconnected');
  await waitFor(() => expect(checks()).toBe(later + 1));
});
