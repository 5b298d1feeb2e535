import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setTabKind, startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { ensureTemporal } from '../../time/temporal.ts';
import { fakeDevices, unplug } from './call/fake-peer-connection.ts';
import { ChatLog } from './chat/chat.ts';
import { systemClock } from './core/clock.ts';
import { createStore } from './core/store.ts';
import type { Room } from './create-room.ts';
import { DeviceList } from './media/device-list.ts';
import { LocalMedia } from './media/local-media.ts';
import { RoomPage } from './RoomPage.tsx';
import { RoomBar } from './view/RoomBar.tsx';
import { useRoomTools } from './view/use-room-tools.tsx';

await ensureTemporal();
const uid = '0123456789abcdef0123456789abcdef';
const visit = {
  appointment: {
    appointmentId: 9,
    appointmentUid: uid,
    startDate: '2026-11-21T14:00:00Z',
    endDate: '2026-11-21T14:30:00Z',
    patientId: 5,
    patient: { firstName: 'Ann', lastName: 'Lee' },
    doctorId: 7,
    doctor: { userId: 7, firstName: 'Maya', lastName: 'Reyes' },
    cancelled: false,
    ended: false,
    chargeable: false,
    welcomeMessage: '',
    recorded: false,
    duration: 0,
  },
  companyName: 'Demo Clinic',
  timeZone: 'UTC',
  supportEmail: '',
  limit: 30,
  joinedAt: null,
  canRecord: false,
  recording: { status: 'off', runId: 0, change: 0, peerId: '', name: '', answers: [], recorded: false },
  iceServers: [],
  peerId: 'P_5_s',
  now: '2026-11-21T14:00:00Z',
};

function open(part: object, kind: 'patient' | 'staff' = 'patient') {
  setTabKind(kind);
  startSignIn(kind, accessToken({ roles: kind === 'patient' ? 'P' : 'D' }));
  const server = fakeServer({
    [`GET /api/teleappointments/${uid}`]: () => ({ ...visit, appointment: { ...visit.appointment, ...part } }),
  });
  return { ...server, ...show() };
}

const dashed = '01234567-89AB-cdef-0123-456789abcdef';

function show() {
  const page = (
    <Routes>
      <Route path="/appointment/:uid/pt" element={<RoomPage />} />
      <Route path="*" element={null} />
    </Routes>
  );
  return renderScreen(page, `/appointment/${dashed}/pt`);
}

beforeEach(() => sessionStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

test('uncollected fee: opens the payment in place of the visit', async () => {
  // The document in which cards are entered, so that none is loaded.
  history.replaceState(null, '', '/pay');
  const { router, asked } = open({ chargeable: true });
  await waitFor(() => expect(router.state.location.pathname).toBe(`/patient-payment/${uid}`));
  // The dashes of the address are removed (ROOM-1).
  expect(asked.map(({ path }) => path)).toEqual([`/api/teleappointments/${uid}`]);
  history.replaceState(null, '', '/');
});

test('ended visit: leads its patient to the thank-you page', async () => {
  const { router } = open({ ended: true });
  await waitFor(() => expect(router.state.location.pathname).toBe('/thank-you'));
});

test('cancelled visit: tells the patient, and offers staff a link', async () => {
  const patient = open({ cancelled: true });
  expect(await screen.findByRole('heading', { name: 'This visit was cancelled by the clinic.' })).toBeDefined();
  patient.unmount();
  open({ cancelled: true }, 'staff');
  const link = await screen.findByRole('link', { name: 'Open the appointment' });
  expect(link.getAttribute('href')).toBe('#/appointment-edit/5/9');
});

test('more than an hour early: shows the time and no room', async () => {
  open({ startDate: '2026-11-21T15:00:01Z' });
  expect(await screen.findByRole('heading', { name: 'Your visit is coming up' })).toBeDefined();
  expect(screen.getByRole('button', { name: 'Add to calendar' })).toBeDefined();
});

test('visit of another patient: is not found', async () => {
  setTabKind('patient');
  startSignIn('patient', accessToken({ roles: 'P' }));
  fakeServer({ [`GET /api/teleappointments/${uid}`]: () => problem(404, 'not-found') });
  show();
  expect((await screen.findByRole('alert')).textContent).toContain('This visit doesn’t exist');
});

test('lost camera or microphone: has a tool that turns it on again', async () => {
  const media = new LocalMedia(fakeDevices());
  const chat = new ChatLog({
    session: uid,
    reader: { side: 'patient' },
    myUserId: null,
    send: async () => 1,
    history: async () => [],
    clock: systemClock,
    newKey: () => 'key',
  });
  const devices = new DeviceList({
    devices: undefined,
    permissions: undefined,
    onChange: () => undefined,
    onAllowed: () => undefined,
  });
  const session = { view: createStore({ people: [] }) } as unknown as Room['session'];
  renderScreen(<Bar room={{ session, media, devices, chat } as Room} />);
  const user = userEvent.setup();
  const names = () => screen.getAllByRole('button').map((one) => one.getAttribute('aria-label'));
  const rest = ['Leave the room', 'End the call', 'Chat'];
  expect(names()).toEqual(['Settings', ...rest]);
  await act(() => media.start());
  expect(names()).toEqual(['Settings', 'Mute', 'Turn camera off', ...rest]);
  const [track] = media.view.get().stream?.getVideoTracks() ?? [];
  act(() => unplug(track));
  // The microphone runs, so it can be muted.
  expect(names()).toEqual(['Settings', 'Mute', 'Turn on camera', ...rest]);
  await act(() => media.continueWithout());
  act(() => unplug(media.view.get().stream?.getAudioTracks()[0]));
  expect(names()).toEqual(['Settings', 'Turn on microphone', 'Turn on camera', ...rest]);
  await user.click(screen.getByRole('button', { name: 'Turn on microphone' }));
  await waitFor(() => expect(names()).toEqual(['Settings', 'Mute', 'Turn on camera', ...rest]));
  await user.click(screen.getByRole('button', { name: 'Turn on camera' }));
  await waitFor(() => expect(names()).toEqual(['Settings', 'Mute', 'Turn camera off', ...rest]));
});

function Bar({ room }: { room: Room }) {
  const nothing = () => undefined;
  const tools = useRoomTools({
    room,
    isPatient: true,
    canLeave: true,
    isGuest: false,
    onInvite: undefined,
    onLeave: nothing,
    onEnd: nothing,
    onSettings: nothing,
    onResolution: nothing,
    onAway: nothing,
  });
  return <RoomBar title="" peerId="D_7_s1" hidden={false} crowded={false} tools={tools} />;
}
