import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { isIdleHeld } from '../../../api/idle.ts';
import { setTabKind, startSignIn } from '../../../api/sign-in.ts';
import { renderScreen } from '../../../testing/render.tsx';
import { accessToken } from '../../../testing/server.ts';
import { fakeDevices } from '../call/fake-peer-connection.ts';
import type { Phase, RoomView } from '../call/room-view.ts';
import { ChatLog } from '../chat/chat.ts';
import { systemClock } from '../core/clock.ts';
import { createStore } from '../core/store.ts';
import type { Room } from '../create-room.ts';
import { LocalMedia } from '../media/local-media.ts';
import { RunningVisitFrame } from '../RunningVisitFrame.tsx';
import { keepRunning, runningVisit } from '../running-visit.ts';

beforeEach(() => {
  setTabKind('staff');
  startSignIn('staff', accessToken({ roles: 'D' }));
});

/** Puts a visit in the corner, in which this person waits alone. */
async function buildCorner() {
  const view = createStore<RoomView>({
    phase: { name: 'in' },
    online: true,
    people: [],
    hasFeed: false,
    hadCompany: false,
    joinedAt: 0,
  });
  const chat = new ChatLog({
    session: 'uid',
    reader: { side: 'staff' },
    myUserId: 7,
    send: async () => 1,
    history: async () => [],
    clock: systemClock,
    newKey: () => 'key',
  });
  const state = { status: 'off', recorded: false };
  const recording = { view: createStore({ state, isMine: false, isBusy: false, isActive: false }) };
  const leave = vi.fn(async () => 0);
  const listen = () => () => undefined;
  const media = new LocalMedia(fakeDevices());
  const session = { view, isOpen: true };
  const room = { session, media, chat, recording, leave, listen } as unknown as Room;
  const appointment = { appointmentUid: 'uid', patient: { firstName: 'Ann', lastName: 'Lee' } };
  keepRunning({ visit: { appointment } as Teleappointment, clock: systemClock, room, onLeft: () => undefined });
  renderScreen(<RunningVisitFrame />);
  expect(await screen.findByText('Waiting for Ann Lee')).toBeDefined();
  expect(isIdleHeld()).toBe(true);
  return { leave, enter: (phase: Phase) => act(async () => view.set({ ...view.get(), phase })) };
}

test.each<[text: string, Phase]>([
  ['This visit is open in another tab.', { name: 'moved' }],
  ['This visit is over.', { name: 'over', why: 'unlicensed' }],
  ['This visit was cancelled.', { name: 'over', why: 'cancelled' }],
])('%s The corner closes, and inactivity signs out again', async (text, phase) => {
  const { leave, enter } = await buildCorner();
  await enter(phase);
  expect(await screen.findByText(text)).toBeDefined();
  expect(screen.queryByText('Waiting for Ann Lee')).toBeNull();
  expect([runningVisit.get(), isIdleHeld(), leave.mock.calls.length]).toEqual([undefined, false, 1]);
});

test('a visit that was not entered yet: does not prevent the sign-out for inactivity', async () => {
  const { enter } = await buildCorner();
  await enter({ name: 'entering' });
  expect(isIdleHeld()).toBe(false);
});
