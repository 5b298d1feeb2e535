import type { ChatText, DataMessage, MessagingClient, PresentPeer, Sender } from '@roomside/contract/room/messages.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChatLog } from '../chat/chat.ts';
import { systemClock } from '../core/clock.ts';
import { LocalMedia } from '../media/local-media.ts';
import { camera, FakePeerConnection, fakeDevices, fakeReceiver, refusal, unplug } from './fake-peer-connection.ts';
import type { PageEvent } from './network-watch.ts';
import { QualitySummary } from './quality-summary.ts';
import type { RoomHub } from './room-entry.ts';
import { RoomSession } from './room-session.ts';
import type { Notice } from './room-view.ts';

const uid = '0123456789abcdef0123456789abcdef';
const patient: Sender = { peerId: 'P_1_a', roleId: 'P', userId: null, patientId: 1, firstName: 'Ann', lastName: 'Lee' };
const doctor: Sender = {
  peerId: 'D_2_b',
  roleId: 'D',
  userId: 2,
  patientId: null,
  firstName: 'Maya',
  lastName: 'Reyes',
};

/** The prefix that the unmodified client puts before the server's code. */
const beforeCode = "An unexpected error occurred invoking 'Subscribe' on the server. HubException: ";

/** The server's side of a room, as in server/src/features/room: its peers and what it sends to them. */
function buildRoom() {
  const lines = new Set<{ sender: Sender; notify: MessagingClient['Notify']; ready: boolean; in: boolean }>();
  const sent: (DataMessage & { from: string })[] = [];
  const others = (line: { sender: Sender }) => [...lines].filter((one) => one.in && one.sender !== line.sender);
  /** What the server returns to Subscribe instead. */
  const state: {
    refuse?: string;
    hold?: Promise<void>;
    deaf?: boolean;
    moved?: string;
    /** The signals of this peer are lost. */
    muted?: string;
    looks: string[];
  } = { looks: [] };
  const log: string[] = [];

  function connect(sender: Sender) {
    const states = new Set<() => void>();
    let notify: MessagingClient['Notify'] = () => undefined;
    let status: 'connected' | 'reconnecting' = 'connected';
    const line = {
      sender,
      ready: false,
      in: false,
      notify: ((...args) => notify(...args)) as MessagingClient['Notify'],
    };
    lines.add(line);
    const invoke = async (method: string, value: unknown): Promise<unknown> => {
      if (status !== 'connected') throw new Error('The connection is away.');
      if (method === 'Subscribe') {
        log.push(method);
        await state.hold;
        if (state.refuse) throw new Error(`${beforeCode}${state.refuse}`);
        line.in = true;
        return others(line).map(({ sender: one, ready }): PresentPeer => ({ ...one, ready }));
      }
      if (method === 'Unsubscribe') {
        log.push(method);
        await state.hold;
        line.in = false;
        for (const other of others(line)) other.notify({ type: -1, session: uid }, sender);
        return undefined;
      }
      if (method === 'SendText') {
        log.push((value as ChatText).payload);
        await state.hold;
        return 1;
      }
      if (state.deaf) throw new Error('gone');
      const message = value as DataMessage;
      sent.push({ ...message, from: sender.peerId });
      if (message.type !== 2) log.push(`type ${message.type}`);
      if (message.type === 4) line.ready = true;
      const copy = JSON.parse(JSON.stringify({ type: message.type, session: uid, payload: message.payload }));
      if (state.muted === sender.peerId) return undefined;
      for (const other of others(line)) {
        if (!message.to || message.to === other.sender.peerId) queueMicrotask(() => other.notify(copy, sender));
      }
      return undefined;
    };
    const hub = {
      invoke,
      onNotify: (listener: MessagingClient['Notify']) => {
        notify = listener;
        return () => (notify = () => undefined);
      },
      onState: (listener: () => void) => {
        states.add(listener);
        return () => states.delete(listener);
      },
      getState: () => ({ status }),
      start: () => undefined,
      restart: () => undefined,
      check: async () => undefined,
      leaveFormerNetwork: async (isWanted: () => boolean) => {
        if (isWanted()) state.looks.push(sender.peerId);
        return state.moved === sender.peerId;
      },
      stop: async () => void log.push('stop'),
    } as unknown as RoomHub;
    return {
      hub,
      line,
      /** Disconnects the hub and reconnects it; the server notifies the others after its grace period. */
      lose(isNotified: boolean) {
        status = 'reconnecting';
        line.in = false;
        for (const listener of states) listener();
        // Staff receive it twice: in the room, and as staff of the clinic.
        for (const other of isNotified ? others(line) : []) {
          other.notify({ type: -1, session: uid }, sender);
          other.notify({ type: -1, session: uid }, sender);
        }
      },
      find() {
        status = 'connected';
        for (const listener of states) listener();
      },
    };
  }
  return { connect, sent, state, log };
}

function enter(room: ReturnType<typeof buildRoom>, sender: Sender, answer = camera) {
  const wire = room.connect(sender);
  const media = new LocalMedia(fakeDevices(answer), undefined, `${sender.peerId}:${uid}`);
  const notices: Notice[] = [];
  const rated: Notice[] = [];
  const made: FakePeerConnection[] = [];
  let lastSave: AbortSignal | undefined;
  let ids = 0;
  let tell: (event: PageEvent) => void = () => undefined;
  const chat = new ChatLog({
    session: uid,
    reader: { side: 'patient' },
    myUserId: null,
    send: (text) => wire.hub.invoke('SendText', text),
    history: async () => [],
    clock: systemClock,
    newKey: () => `key${ids++}`,
  });
  const session = new RoomSession({
    uid,
    peerId: sender.peerId,
    isPatient: sender.roleId === 'P',
    joinedAt: null,
    hub: wire.hub,
    media,
    chat,
    clock: systemClock,
    random: () => 0,
    newId: () => `${sender.peerId}-${FakePeerConnection.all.length}-${ids++}`,
    summary: new QualitySummary(),
    reporter: { start: () => undefined, stop: () => undefined, save: async (signal) => void (lastSave = signal) },
    iceServers: { hasRelay: true, refresh: async () => void room.log.push('refresh') },
    watchPage: (listener) => {
      tell = listener;
      return () => undefined;
    },
    connect: (relayOnly) => {
      const pc = new FakePeerConnection();
      if (relayOnly) pc.configuration = { iceTransportPolicy: 'relay' };
      made.push(pc);
      return pc as unknown as RTCPeerConnection;
    },
    onNotice: (notice) => void (notice.type === 'poor' || notice.type === 'better' ? rated : notices).push(notice),
    onCut: () => room.log.push('cut'),
    onWaitingChanged: () => room.log.push('waiting'),
    onReturned: () => room.log.push('returned'),
  });
  session.start();
  const pc = () => made.at(-1) as FakePeerConnection;
  return {
    ...wire,
    session,
    media,
    chat,
    notices,
    rated,
    made,
    pc,
    page: (event: PageEvent) => tell(event),
    isSaveEnded: () => lastSave?.aborted,
    people: () => session.view.get().people,
  };
}

const settle = () => vi.advanceTimersByTimeAsync(1);
const sentBy = (room: ReturnType<typeof buildRoom>, from: string, type: number) =>
  room.sent.filter((message) => message.from === from && message.type === type);

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
  vi.stubGlobal('RTCRtpReceiver', fakeReceiver);
  FakePeerConnection.all = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function meet() {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  const d = enter(room, doctor);
  await settle();
  return { room, p, d };
}

test('room: becomes active with the first video; the peer that was there first calls, once @STATE-10', async () => {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  expect(p.session.view.get()).toMatchObject({ phase: { name: 'in' }, hasFeed: false, people: [] });
  const d = enter(room, doctor);
  await settle();
  for (const one of [p, d]) expect(one.session.view.get().hasFeed).toBe(true);
  expect([p.made.length, d.made.length]).toEqual([1, 1]);
  expect([p.pc().offers, d.pc().offers]).toEqual([1, 0]);
  expect(p.people()).toMatchObject([{ name: 'Maya Reyes', link: 'live', isStaff: true }]);
  expect(d.notices).toEqual([{ type: 'joined', name: 'Ann Lee' }]);
});

test('camera start: a patient’s with the hub, staff’s after the join; then type 4, once @STATE-12', async () => {
  for (const [sender, order] of [
    [patient, ['camera', 'Subscribe', 'type 4']],
    [doctor, ['Subscribe', 'camera', 'type 4']],
  ] as const) {
    const room = buildRoom();
    enter(room, sender, (wish) => {
      room.log.push('camera');
      return camera(wish);
    });
    await settle();
    expect(room.log).toEqual(order);
  }
});

test('type 4: is sent once after local video runs, and again after a new subscription', async () => {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  expect(sentBy(room, patient.peerId, 4)).toHaveLength(1);
  p.media.setMuted(true);
  p.media.setCameraOff(true);
  await p.media.retry();
  await settle();
  expect(sentBy(room, patient.peerId, 4)).toHaveLength(1);
  p.lose(false);
  p.find();
  await settle();
  expect(sentBy(room, patient.peerId, 4)).toHaveLength(2);
});

test('peer without a camera: sends no type 4, and the peers connect', async () => {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  const d = enter(room, doctor, ({ video }) => {
    if (video) throw refusal('NotAllowedError');
    throw refusal('NotFoundError');
  });
  await settle();
  expect(d.media.view.get().device).toEqual({ status: 'refused' });
  expect(p.people()).toEqual([]);
  await d.media.continueWithout();
  await settle();
  expect(sentBy(room, doctor.peerId, 4)).toHaveLength(0);
  expect(p.people()).toMatchObject([{ link: 'live', mediaState: { sound: false, picture: false } }]);
  expect(d.session.view.get().hasFeed).toBe(true);
});

test('both peers call at the same time: one rolls back, both connect', async () => {
  const room = buildRoom();
  const [p, d] = [enter(room, patient), enter(room, doctor)];
  await settle();
  expect([p.people()[0]?.link, d.people()[0]?.link]).toEqual(['live', 'live']);
  for (const pc of FakePeerConnection.all) expect(pc.errors).toEqual([]);
});

test('reload: replaces the connection without a notice', async () => {
  const { room, p, d } = await meet();
  // The old page has closed without leaving, and the hub reports it immediately.
  p.pc().close();
  p.lose(true);
  await settle();
  expect(d.people()).toMatchObject([{ name: 'Ann Lee', link: 'lost' }]);
  const again = enter(room, patient);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(d.people()).toMatchObject([{ name: 'Ann Lee', link: 'live' }]);
  expect(d.made).toHaveLength(2);
  expect(again.session.view.get().hasFeed).toBe(true);
  expect(d.notices.map(({ type }) => type)).toEqual(['joined']);
});

test('leave: the other peer waits again @STATE-15', async () => {
  const { p, d } = await meet();
  await p.session.leave();
  await settle();
  expect(d.notices.at(-1)).toEqual({ type: 'left', name: 'Ann Lee' });
  expect(d.session.view.get()).toMatchObject({ hasFeed: false, people: [], phase: { name: 'in' } });
  expect(p.media.view.get().stream).toBeUndefined();
});

test('leave during the entry: removes the peer from the room @STATE-15', async () => {
  const room = buildRoom();
  const answer = Promise.withResolvers<void>();
  room.state.hold = answer.promise;
  const p = enter(room, patient);
  await settle();
  void p.session.leave();
  answer.resolve();
  await settle();
  expect(p.line.in).toBe(false);
  expect(p.session.view.get()).toMatchObject({ phase: { name: 'entering' }, online: false });
  expect(p.media.view.get().device).toEqual({ status: 'idle' });
});

test.each(['leave', 'end'] as const)('unsent messages: are sent before the %s @STATE-15', async (how) => {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  const answer = Promise.withResolvers<void>();
  room.state.hold = answer.promise;
  for (const text of ['one', 'two', 'three']) p.chat.send(text);
  await settle();
  const done = p.session[how]();
  await settle();
  // The server handles one call after another, and has not returned from the first one yet.
  expect(room.log.slice(-4)).toEqual(['one', 'two', 'three', how === 'leave' ? 'Unsubscribe' : 'type 3']);
  answer.resolve();
  await done;
  await settle();
  expect(p.chat.view.get().items.map(({ state }) => state.status)).toEqual(['sent', 'sent', 'sent']);
});

test('leave without a response of the server: resolves after the timeout @STATE-15', async () => {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  room.state.hold = new Promise(() => undefined);
  p.chat.send('one');
  let isDone = false;
  void p.session.leave().then(() => (isDone = true));
  await vi.advanceTimersByTimeAsync(1_900);
  expect([isDone, p.isSaveEnded()]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(200);
  // What is still being saved would be refused once the patient is signed out.
  expect([isDone, p.isSaveEnded()]).toEqual([true, true]);
});

test.each(['with a camera', 'without one'])(
  'peer that can be called, %s: says so again when that did not get through',
  async (how) => {
    const room = buildRoom();
    const d = enter(room, doctor);
    await settle();
    room.state.deaf = true;
    const p = enter(room, patient, (wish) => {
      if (wish.video && how === 'without one') throw refusal('NotFoundError');
      return camera(wish);
    });
    await settle();
    if (how === 'without one') await p.media.continueWithout();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(d.people()).toEqual([]);
    room.state.deaf = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(d.people()).toMatchObject([{ name: 'Ann Lee', link: 'live' }]);
    expect(p.session.view.get().hasFeed).toBe(true);
  },
);

test('peer that lost only the hub: the media continue until its page stops responding', async () => {
  const { p, d } = await meet();
  p.lose(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(d.people()).toMatchObject([{ link: 'live' }]);
  expect(p.people()).toMatchObject([{ link: 'live' }]);
  p.find();
  await settle();
  expect([p.made.length, d.made.length]).toEqual([1, 1]);
  // The page is suspended: it does not respond and does not return, so it has left.
  p.pc().asleep = true;
  p.lose(true);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(d.people()).toMatchObject([{ link: 'lost' }]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(d.people()).toEqual([]);
  expect(d.notices.at(-1)).toEqual({ type: 'left', name: 'Ann Lee' });
});

test('peer that comes back while it is asked whether it is there: stays', async () => {
  const { p, d } = await meet();
  p.pc().asleep = true;
  p.lose(true);
  await vi.advanceTimersByTimeAsync(1_000);
  p.find();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(d.people()).toMatchObject([{ link: 'live' }]);
  expect(d.notices.map(({ type }) => type)).not.toContain('left');
});

test('peer that is lost twice: has the whole time to come back each time', async () => {
  const { p, d } = await meet();
  p.pc().asleep = true;
  p.lose(true);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(d.people()).toMatchObject([{ link: 'lost' }]);
  p.find();
  await settle();
  expect(d.people()).toMatchObject([{ link: 'live' }]);
  p.lose(true);
  // The time of the first loss ends.
  await vi.advanceTimersByTimeAsync(4_500);
  expect(d.people()).toMatchObject([{ link: 'lost' }]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(d.people()).toEqual([]);
});

test('guest who was removed while this device was away: is dropped without being asked', async () => {
  const { room, d } = await meet();
  const guest = { guestId: 9, name: 'Maria Lopez', role: 'interpreter' } as const;
  const g = enter(room, { ...patient, peerId: 'G_9_c', roleId: 'G', patientId: null, guest });
  await settle();
  expect(d.people()).toMatchObject([{ link: 'live' }, { peerId: 'G_9_c', link: 'live' }]);
  d.lose(false);
  g.line.in = false;
  d.find();
  await vi.advanceTimersByTimeAsync(100);
  expect(d.people()).toMatchObject([{ peerId: patient.peerId, link: 'live' }]);
});

test('signals: are queued while disconnected and sent in order after the reconnect', async () => {
  const { room, p, d } = await meet();
  const before = sentBy(room, patient.peerId, 2).length;
  p.lose(false);
  p.pc().restartIce();
  await settle();
  expect(p.pc().offers).toBe(2);
  expect(sentBy(room, patient.peerId, 2)).toHaveLength(before);
  p.find();
  await settle();
  expect(p.people()).toMatchObject([{ link: 'live' }]);
  expect(d.pc().errors).toEqual([]);
});

test('end by staff: ends the visit for the patient with its own text when cancelled; a colleague gets a notice', async () => {
  const { p, d } = await meet();
  await d.session.end();
  await settle();
  expect(p.session.view.get().phase).toEqual({ name: 'over', why: 'ended' });
  expect(p.media.view.get().device).toEqual({ status: 'idle' });
  const two = await meet();
  const colleague = enter(two.room, { ...doctor, peerId: 'A_3_c', userId: 3, firstName: 'Avery', lastName: 'O' });
  await settle();
  await two.d.hub.invoke('SendData', { type: 3, session: uid, payload: { cancelled: true } });
  await settle();
  expect(two.p.session.view.get().phase).toEqual({ name: 'over', why: 'cancelled' });
  expect(two.room.log.at(-1)).toBe('stop');
  expect(colleague.notices).toContainEqual({ type: 'cancelled-by', name: 'Maya Reyes' });
  expect(colleague.session.view.get().phase).toEqual({ name: 'in' });
});

test('entering: is reported again after each new connection and "Use here", not the first time', async () => {
  const room = buildRoom();
  const p = enter(room, patient);
  await settle();
  const returns = () => room.log.filter((entry) => entry === 'returned').length;
  expect(returns()).toBe(0);
  p.lose(false);
  await settle();
  expect(returns()).toBe(0);
  p.find();
  await settle();
  expect(returns()).toBe(1);
  p.line.notify({ type: 100, session: uid }, patient);
  p.session.useHere();
  await settle();
  expect(returns()).toBe(2);
});

test.each([
  ['the patient', 112, patient],
  ['staff', 3, { ...doctor, peerId: 'U_4_d', userId: 4 }],
] as const)('cancelled by %s: staff who wait read it, and leave the room', async (_, type, sender) => {
  const room = buildRoom();
  const d = enter(room, doctor);
  await settle();
  d.line.notify(type === 3 ? { type, session: uid, payload: { cancelled: true } } : { type, session: uid }, sender);
  await settle();
  expect(d.notices.map((notice) => notice.type)).toEqual(['cancelled-by']);
  expect(d.session.view.get().phase).toEqual({ name: 'over', why: 'cancelled' });
  expect(d.media.view.get().device).toEqual({ status: 'idle' });
  expect(room.log.at(-1)).toBe('Unsubscribe');
});

test('cancelled by the patient: staff who had company stay, and a patient’s own page ignores it', async () => {
  const { d, p } = await meet();
  for (const { line } of [d, p]) line.notify({ type: 112, session: uid }, patient);
  await settle();
  expect(d.notices).toContainEqual({ type: 'cancelled-by', name: 'Ann Lee' });
  for (const { session } of [d, p]) expect(session.view.get().phase).toEqual({ name: 'in' });
});

test('cancellation that a patient’s page claims: is not believed', async () => {
  const room = buildRoom();
  const d = enter(room, doctor);
  await settle();
  d.line.notify({ type: 3, session: uid, payload: { cancelled: true } }, patient);
  await settle();
  expect([d.notices, d.session.view.get().phase]).toEqual([[], { name: 'in' }]);
});

test('end by staff: shows no notice about the leaving patient, unless the end failed', async () => {
  const { d, p } = await meet();
  await d.session.end();
  await settle();
  expect(p.session.view.get().phase).toEqual({ name: 'over', why: 'ended' });
  await settle();
  expect(d.people()).toHaveLength(0);
  expect(d.notices.filter(({ type }) => type === 'left')).toEqual([]);
  const two = await meet();
  two.d.lose(false);
  await expect(two.d.session.end()).rejects.toThrow('away');
  two.d.find();
  await settle();
  await two.p.session.leave();
  await settle();
  expect(two.d.notices).toContainEqual({ type: 'left', name: 'Ann Lee' });
});

test('end by a patient: means that they have left for good @STATE-15', async () => {
  const { p, d } = await meet();
  await p.session.end();
  await settle();
  expect(d.notices.at(-1)).toEqual({ type: 'left', name: 'Ann Lee' });
  expect(d.session.view.get().phase).toEqual({ name: 'in' });
});

test('second tab: takes the room over; the first one can take it back', async () => {
  const { room, p, d } = await meet();
  p.line.notify({ type: 100, session: uid }, patient);
  expect(p.session.view.get()).toMatchObject({ phase: { name: 'moved' }, people: [] });
  expect(p.media.view.get().device.status).toBe('idle');
  p.session.useHere();
  await settle();
  expect(p.session.view.get()).toMatchObject({ phase: { name: 'in' }, hasFeed: true });
  expect(d.people()).toHaveLength(1);
  expect(sentBy(room, patient.peerId, 4)).toHaveLength(2);
});

test('muted microphone: stays muted in the tab that takes the room over, until the person leaves or the visit is over', async () => {
  const { room, p, d } = await meet();
  p.media.setMuted(true);
  p.line.notify({ type: 100, session: uid }, patient);
  // The tab that was left is closed.
  await p.session.leave();
  const second = enter(room, patient);
  await settle();
  expect(second.media.mediaState).toEqual({ sound: false, picture: true });
  await second.session.leave();
  const returned = enter(room, patient);
  await settle();
  expect(returned.media.mediaState.sound).toBe(true);
  returned.media.setMuted(true);
  await d.session.end();
  await settle();
  expect(returned.session.view.get().phase.name).toBe('over');
  expect(enter(room, patient).media.view.get().muted).toBe(false);
});

test('refused entry: shows the reason; a server error is retried', async () => {
  const room = buildRoom();
  room.state.refuse = 'server-error';
  const p = enter(room, patient);
  await settle();
  expect(p.session.view.get().phase.name).toBe('entering');
  delete room.state.refuse;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(p.session.view.get().phase.name).toBe('in');
  room.state.refuse = 'cancelled';
  p.lose(false);
  p.find();
  await settle();
  expect(p.session.view.get().phase).toEqual({ name: 'over', why: 'cancelled' });
});

test('refused entry for an ended sign-in: the visit is read again, and a signed-in user enters', async () => {
  const room = buildRoom();
  room.state.refuse = 'sign-in-ended';
  const p = enter(room, patient);
  await settle();
  expect(p.session.view.get().phase).toEqual({ name: 'entering' });
  expect(room.log).toEqual(['Subscribe', 'cut']);
  delete room.state.refuse;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(p.session.view.get().phase).toEqual({ name: 'in' });
});

test('remote mute: mutes a microphone, and never unmutes it', async () => {
  const { p, d } = await meet();
  await d.hub.invoke('SendData', { type: 6, session: uid });
  await settle();
  expect(p.media.view.get().muted).toBe(true);
  expect(d.people()[0]?.mediaState.sound).toBe(false);
  await d.hub.invoke('SendData', { type: 6, session: uid, payload: { muted: false } });
  await settle();
  expect(p.media.view.get().muted).toBe(true);
  expect(p.notices.at(-1)).toEqual({ type: 'unmute-asked', name: 'Maya Reyes' });
});

test('broken connection: is shown once, restarts immediately or after a second, is replaced @STATE-14 @STATE-22', async () => {
  const { room, p, d } = await meet();
  const first = p.pc();
  const shown = () => p.notices.filter(({ type }) => type === 'lost').length;
  first.turn('disconnected');
  await vi.advanceTimersByTimeAsync(900);
  expect([first.restarts, shown()]).toEqual([0, 0]);
  await vi.advanceTimersByTimeAsync(200);
  expect([first.restarts, shown()]).toEqual([1, 1]);
  expect(room.log.at(-1)).toBe('refresh');
  // The answer came immediately, so the connection is live again.
  expect(p.people()[0]?.link).toBe('live');
  // The side that did not call gives the other one more time.
  d.pc().turn('disconnected');
  await vi.advanceTimersByTimeAsync(1_500);
  expect(d.pc().restarts).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(d.pc().restarts).toBe(1);
  // Restarts without effect.
  const restart = vi.spyOn(first, 'restartIce').mockImplementation(() => undefined);
  first.turn('failed');
  expect(p.people()[0]?.link).toBe('lost');
  await vi.advanceTimersByTimeAsync(11_900);
  expect([restart.mock.calls.length, p.made.length]).toEqual([3, 1]);
  await vi.advanceTimersByTimeAsync(200);
  expect([p.made.length, d.made.length]).toEqual([2, 2]);
  expect(p.people()[0]?.link).toBe('live');
  expect(first.signalingState).toBe('closed');
  expect(shown()).toBe(2);
});

test('new connection without effect: the next one uses the relay only', async () => {
  const { room, p, d } = await meet();
  room.state.deaf = true;
  p.pc().turn('failed');
  await vi.advanceTimersByTimeAsync(17_100);
  expect(p.made.map(({ configuration }) => configuration.iceTransportPolicy)).toEqual([undefined, undefined, 'relay']);
  room.state.deaf = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect([p.people()[0]?.link, d.people()[0]?.link]).toEqual(['live', 'live']);
});

test('hub away as well: nothing is tried until it is back, then immediately', async () => {
  const { p, d } = await meet();
  p.lose(false);
  p.pc().turn('failed');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([p.pc().restarts, p.made.length, p.people()[0]?.link]).toEqual([0, 1, 'lost']);
  p.find();
  await settle();
  expect([p.pc().restarts, p.made.length]).toEqual([1, 1]);
  expect([p.people()[0]?.link, d.people()[0]?.link]).toEqual(['live', 'live']);
});

test('other network: a connection that works is restarted without a notice, a lost one immediately', async () => {
  const { p } = await meet();
  await vi.advanceTimersByTimeAsync(10_000);
  p.page('network');
  await settle();
  p.page('network');
  await settle();
  expect([p.pc().restarts, p.people()[0]?.link]).toEqual([1, 'live']);
  expect(p.notices.map(({ type }) => type)).toEqual(['joined']);
  p.pc().turn('disconnected');
  await vi.advanceTimersByTimeAsync(500);
  p.page('network');
  await vi.advanceTimersByTimeAsync(500);
  expect([p.pc().restarts, p.people()[0]?.link]).toEqual([2, 'live']);
});

test('two peers lost by one failure of this device: one notice', async () => {
  const { room, p } = await meet();
  enter(room, { ...doctor, peerId: 'A_3_c', userId: 3, firstName: 'Avery', lastName: 'O' });
  await settle();
  expect(p.made).toHaveLength(2);
  room.state.deaf = true;
  for (const pc of p.made) pc.turn('failed');
  await settle();
  expect(p.people().map(({ link }) => link)).toEqual(['lost', 'lost']);
  expect(p.notices.filter(({ type }) => type === 'lost')).toHaveLength(1);
});

test('sound: RED is preferred and sent first; video shrinks while it arrives poorly, and grows again slowly', async () => {
  const { p, d } = await meet();
  const [audio, video] = p.pc().getSenders();
  expect(audio?.codecs).toEqual(['audio/red', 'audio/opus']);
  expect(audio?.parameters.encodings).toEqual([{ priority: 'high', networkPriority: 'high' }]);
  const sent = () => video?.parameters.encodings[0]?.['scaleResolutionDownBy'];
  expect(sent()).toBe(1);
  d.pc().loss = 0.3;
  await vi.advanceTimersByTimeAsync(8_000);
  // Both sides show it and announce it once.
  for (const one of [p, d]) {
    expect(one.people()[0]?.quality).toBe('poor');
    expect(one.rated.map(({ type }) => type)).toEqual(['poor']);
  }
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent()).toBe(4);
  d.pc().loss = 0;
  await vi.advanceTimersByTimeAsync(12_000);
  expect([p.people()[0]?.quality, d.people()[0]?.quality, sent()]).toEqual(['good', 'good', 4]);
  await vi.advanceTimersByTimeAsync(80_000);
  expect(sent()).toBe(1);
  expect(p.rated.map(({ type }) => type)).toEqual(['poor', 'better']);
  expect(d.pc().getSenders()[1]?.parameters.encodings[0]?.['scaleResolutionDownBy']).toBe(1);
});

test('video off to save data: none is sent or asked for, also on a new connection, until it is turned on', async () => {
  const { p, d } = await meet();
  const isSent = () => d.pc().getSenders()[1]?.parameters.encodings[0]?.['active'];
  p.media.setSavesData(true);
  await settle();
  expect(isSent()).toBe(false);
  expect(d.people()[0]?.mediaState).toMatchObject({ sound: true, picture: false });
  expect(p.people()[0]?.mediaState).toMatchObject({ sound: true, picture: false });
  p.pc().turn('failed');
  vi.spyOn(p.pc(), 'restartIce').mockImplementation(() => undefined);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([d.made.length, isSent()]).toEqual([2, false]);
  p.media.setSavesData(false);
  await settle();
  expect(isSent()).toBe(true);
  expect(d.people()[0]?.mediaState.picture).toBe(true);
});

test('broken protocol of the verification words: ends that connection with a notice, for good', async () => {
  const { p, d } = await meet();
  const pc = d.pc();
  pc.channels.get(2)?.onmessage?.({ data: '{"reveal":"no"}' });
  await settle();
  expect(d.notices.at(-1)).toEqual({ type: 'unverified', name: 'Ann Lee' });
  expect(pc.signalingState).toBe('closed');
  p.pc().turn('failed');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([d.made.length, d.people()[0]?.link, d.people()[0]?.stream]).toEqual([1, 'lost', undefined]);
});

test('broken protocol of the verification words: the same page is not connected to again, a reloaded one is', async () => {
  const { room, p, d } = await meet();
  d.pc().channels.get(2)?.onmessage?.({ data: '{"reveal":"no"}' });
  await settle();
  const isEnded = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    expect(d.people()).toMatchObject([{ name: 'Ann Lee', link: 'lost', stream: undefined }]);
    expect([d.made.length, d.notices.filter(({ type }) => type === 'lost')]).toEqual([1, []]);
  };
  // Either side enters again, and the other page announces itself again.
  for (const one of [p, d]) {
    one.lose(false);
    one.find();
    await isEnded(30_000);
  }
  d.page('visible');
  d.page('network');
  await isEnded(30_000);
  // The hub reports that it has left, and it comes back after the grace period.
  p.lose(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(d.people()).toEqual([]);
  p.find();
  await isEnded(30_000);
  p.pc().close();
  p.lose(false);
  enter(room, patient);
  await settle();
  expect(d.people()).toMatchObject([{ link: 'live' }]);
});

test('another peer is lost beside one that was not verified: has its notice', async () => {
  const { room, d } = await meet();
  const colleague = enter(room, { ...doctor, peerId: 'A_3_c', userId: 3 });
  await settle();
  d.made[0]?.channels.get(2)?.onmessage?.({ data: '{"reveal":"no"}' });
  await settle();
  room.state.deaf = true;
  for (const one of [d, colleague]) one.pc().turn('failed');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(d.people().map(({ link }) => link)).toEqual(['lost', 'lost']);
  expect(d.notices.map(({ type }) => type)).toEqual(['joined', 'joined', 'unverified', 'lost']);
});

test('signals that arrive twice or late: change nothing', async () => {
  const { room, p, d } = await meet();
  const all = () => sentBy(room, patient.peerId, 2).map(({ payload }) => payload);
  const pc = d.pc();
  const before = sentBy(room, doctor.peerId, 2).length;
  const repeat = async (payloads: unknown[]) => {
    for (const payload of payloads) d.line.notify({ type: 2, session: uid, payload }, patient);
    await settle();
  };
  await repeat(all());
  expect(sentBy(room, doctor.peerId, 2)).toHaveLength(before);
  expect([d.pc() === pc, pc.signalingState, pc.errors]).toEqual([true, 'stable', []]);
  // The same after a reload: offers of the earlier page are late.
  const early = all();
  p.pc().close();
  p.lose(false);
  const again = enter(room, patient);
  await settle();
  const next = d.pc();
  await repeat(early);
  expect([d.pc() === next, next.signalingState, next.errors]).toEqual([true, 'stable', []]);
  expect([d.people()[0]?.link, again.people()[0]?.link]).toEqual(['live', 'live']);
});

test.each([
  ['a connection that works: the polite side answers', 'connected', 1, []],
  // Chromium would send nothing after it.
  ['a lost one: the polite side builds another', 'disconnected', 2, ['lost']],
] as const)('crossing offers of %s', async (_case, state, connections, expected) => {
  const { p, d } = await meet();
  await vi.advanceTimersByTimeAsync(10_000);
  for (const one of [p, d]) one.pc().turn(state);
  for (const one of [p, d]) one.page('network');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([p.made.length, d.made.length]).toEqual([connections, connections]);
  for (const one of [p, d]) {
    expect(one.people().map(({ link }) => link)).toEqual(['live']);
    expect(one.notices.map(({ type }) => type).filter((type) => type !== 'joined')).toEqual(expected);
    expect(one.pc().errors).toEqual([]);
  }
});

test.each([0, 1])('offer that is lost at the hub, and one of the other side: is sent again, side %i', async (side) => {
  const { room, p, d } = await meet();
  await vi.advanceTimersByTimeAsync(10_000);
  const [one, other] = side === 0 ? [p, d] : [d, p];
  room.state.muted = side === 0 ? patient.peerId : doctor.peerId;
  one.pc().restartIce();
  await settle();
  expect(one.pc().signalingState).toBe('have-local-offer');
  delete room.state.muted;
  other.pc().restartIce();
  await settle();
  expect([p.pc().signalingState, d.pc().signalingState]).toEqual(['stable', 'stable']);
  expect([p.made.length, d.made.length]).toEqual([1, 1]);
  for (const each of [p, d]) expect(each.pc().errors).toEqual([]);
});

test('connection that a browser closed by itself: is replaced with the first offer of the other side', async () => {
  const { p, d } = await meet();
  await vi.advanceTimersByTimeAsync(10_000);
  d.pc().close();
  p.pc().turn('disconnected');
  await vi.advanceTimersByTimeAsync(2_000);
  expect([p.made.length, d.made.length]).toEqual([2, 2]);
  for (const one of [p, d]) expect(one.people().map(({ link }) => link)).toEqual(['live']);
  expect(d.made[0]?.errors).toEqual([]);
});

test('silence: ICE is restarted within a second where the network is another one, without a notice, and is left alone elsewhere', async () => {
  const { room, p, d } = await meet();
  room.state.moved = patient.peerId;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(room.state.looks).toEqual([]);
  for (const one of [p, d]) one.pc().silent = true;
  await vi.advanceTimersByTimeAsync(1_050);
  expect(room.state.looks.toSorted()).toEqual([doctor.peerId, patient.peerId]);
  expect([p.pc().restarts, d.pc().restarts]).toEqual([1, 0]);
  // Once for each silence.
  await vi.advanceTimersByTimeAsync(3_000);
  expect(room.state.looks).toHaveLength(2);
  for (const one of [p, d]) one.pc().silent = false;
  await vi.advanceTimersByTimeAsync(1_000);
  d.pc().silent = true;
  await vi.advanceTimersByTimeAsync(1_050);
  expect(room.state.looks.slice(2)).toEqual([doctor.peerId]);
  expect([p.made.length, d.made.length]).toEqual([1, 1]);
  for (const one of [p, d]) expect(one.notices.map(({ type }) => type)).not.toContain('lost');
});

test('hidden page of the other peer: is not frozen @STATE-22', async () => {
  const { p, d } = await meet();
  d.page('hidden');
  await settle();
  p.pc().silent = true;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(p.notices.map(({ type }) => type)).toEqual(['joined']);
  d.page('visible');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(p.notices.filter(({ type }) => type === 'frozen')).toHaveLength(1);
});

test('no bytes between two checks of 7 to 10 s: restarts as frozen; still none: rebuilds @STATE-22 @CONST-5', async () => {
  const { p } = await meet();
  const pc = p.pc();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(p.notices.map(({ type }) => type)).toEqual(['joined']);
  pc.silent = true;
  // Something has arrived since the last check, so the second one from now finds it.
  await vi.advanceTimersByTimeAsync(14_000);
  expect(p.notices.at(-1)).toEqual({ type: 'frozen' });
  expect([pc.restarts, p.made.length]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(7_000);
  expect(p.made).toHaveLength(2);
  expect(p.people()[0]?.link).toBe('live');
});

test('peer without sound and video: is not frozen; is checked again when it sends @STATE-22', async () => {
  const { p, d } = await meet();
  const heard = () => d.people()[0]?.mediaState;
  for (const track of p.media.view.get().stream?.getTracks() ?? []) unplug(track);
  await settle();
  expect(heard()).toEqual({ sound: false, picture: false });
  d.pc().silent = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(d.notices.map(({ type }) => type)).toEqual(['joined']);
  expect(d.made).toHaveLength(1);
  await p.media.retry();
  await settle();
  expect(heard()).toEqual({ sound: true, picture: true });
  // The first check reads the count so far.
  await vi.advanceTimersByTimeAsync(7_000);
  expect(d.notices.at(-1)?.type).toBe('joined');
  await vi.advanceTimersByTimeAsync(7_000);
  expect(d.notices.at(-1)).toEqual({ type: 'frozen' });
  // It reports that it sends nothing: the report arrives, and no more bytes are expected.
  p.media.setMuted(true);
  p.media.setCameraOff(true);
  await vi.advanceTimersByTimeAsync(7_000);
  expect(d.people()).toMatchObject([{ link: 'live' }]);
  expect(d.made).toHaveLength(1);
});

test('new connection without tracks: is not taken for frozen because of the old video @STATE-22', async () => {
  const { p, d } = await meet();
  vi.spyOn(d.media, 'mediaState', 'get').mockReturnValue({ sound: true, picture: true });
  const { stream } = d.media.view.get();
  for (const track of stream?.getTracks() ?? []) stream?.removeTrack(track);
  p.pc().silent = true;
  await vi.advanceTimersByTimeAsync(22_000);
  expect(p.made).toHaveLength(2);
  p.pc().silent = true;
  const before = p.notices.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(p.made).toHaveLength(2);
  expect(p.notices).toHaveLength(before);
  expect(p.people()[0]?.stream).toBeDefined();
});

test('signals of an older connection: are dropped', async () => {
  const { room, p, d } = await meet();
  const stale = sentBy(room, patient.peerId, 2).map(({ payload }) => payload);
  p.pc().turn('failed');
  vi.spyOn(p.pc(), 'restartIce').mockImplementation(() => undefined);
  await settle();
  p.lose(false);
  const again = enter(room, patient);
  await settle();
  const pc = d.pc();
  const before = pc.candidates.length;
  expect(stale.length).toBeGreaterThan(1);
  for (const payload of stale)
    d.line.notify({ type: 2, session: uid, payload: { ...(payload as object), description: undefined } }, patient);
  await settle();
  expect(d.pc()).toBe(pc);
  expect([pc.candidates.length, pc.signalingState, pc.errors]).toEqual([before, 'stable', []]);
  expect(again.session.view.get().hasFeed).toBe(true);
});
