import type { ChatMessage } from '@roomside/contract/room/calls.ts';
import type { ChatText } from '@roomside/contract/room/messages.ts';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signOut, startSignIn } from '../../../api/sign-in.ts';
import { renderScreen } from '../../../testing/render.tsx';
import { accessToken, fakeServer } from '../../../testing/server.ts';
import { ensureTemporal } from '../../../time/temporal.ts';
import { systemClock } from '../core/clock.ts';
import { ChatPanel } from '../view/ChatPanel.tsx';
import { wordsForNotice } from '../view/notices.ts';
import { ChatLog } from './chat.ts';
import { UnsentMessages } from './unsent.ts';

await ensureTemporal();
beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The prefix that the unmodified client puts before the server's code. */
const beforeCode = (method: string) =>
  `An unexpected error occurred invoking '${method}' on the server. HubException: `;

function message(part: Partial<ChatMessage>): ChatMessage {
  return {
    type: 1,
    session: 's',
    messageId: 1,
    key: 'k',
    userId: null,
    patientId: 5,
    user: null,
    patient: { firstName: 'Ann', lastName: 'Lee' },
    payload: 'hello',
    date: '2026-11-21T14:00:00Z',
    ...part,
  };
}
const fromUser = (userId: number, part: Partial<ChatMessage> = {}) =>
  message({ userId, patientId: null, user: { firstName: 'Maya', lastName: 'Reyes' }, patient: null, ...part });

function setUp(options: { isPatient?: boolean; history?: ChatMessage[]; keys?: number } = {}) {
  const stored: ChatText[] = [];
  const failures: (string | undefined)[] = [];
  const server = { fail: undefined as string | undefined, down: false, noHistory: false };
  let keys = options.keys ?? 0;
  const isPatient = options.isPatient ?? true;
  const chat = new ChatLog({
    session: 's',
    reader: { side: isPatient ? 'patient' : 'staff' },
    myUserId: isPatient ? null : 7,
    send: async (text) => {
      if (server.down) {
        chat.setOnline(false);
        throw new Error('gone');
      }
      if (server.fail) throw new Error(`${beforeCode('SendText')}${server.fail}`);
      stored.push(text);
      return stored.length;
    },
    history: async () => {
      if (server.noHistory) throw new Error('unavailable');
      return options.history ?? [];
    },
    clock: systemClock,
    newKey: () => `key${keys++}`,
    unsent: new UnsentMessages('s', isPatient ? 'P_5' : 'U_7'),
    onFailed: (code) => failures.push(code),
  });
  const lines = () => chat.view.get().items.map(({ text, state }) => `${text} ${state.status}`);
  const settle = () =>
    vi.waitFor(() => expect(lines().some((line) => line.endsWith('sending'))).toBe(false), { timeout: 10_000 });
  return { chat, stored, failures, server, lines, settle };
}

test('messages written while disconnected: are sent once, in order, after the reconnect', async () => {
  const { chat, stored, lines, server, settle } = setUp();
  chat.setOnline(true);
  server.down = true;
  chat.send('first');
  chat.send('second');
  await vi.waitFor(() => expect(chat.view.get().items).toHaveLength(2), { timeout: 10_000 });
  expect(lines()).toEqual(['first sending', 'second sending']);
  server.down = false;
  chat.setOnline(true);
  chat.setOnline(true);
  await settle();
  expect(stored.map(({ payload, key }) => `${key} ${payload}`)).toEqual(['key0 first', 'key1 second']);
  expect(lines()).toEqual(['first sent', 'second sent']);
});

test('refused message: is marked, and its retry has the same key', async () => {
  const { chat, stored, server, settle } = setUp();
  chat.setOnline(true);
  server.fail = 'card-number';
  chat.send('4111 1111');
  await settle();
  expect(chat.view.get().items[0]?.state).toEqual({ status: 'failed', code: 'card-number' });
  server.fail = undefined;
  chat.retry('key0');
  await settle();
  expect(stored).toEqual([{ session: 's', payload: '4111 1111', key: 'key0' }]);
});

test('refused message: shows the reason by the server’s code @VALID-3', async () => {
  const { chat, server, failures, settle } = setUp();
  chat.setOnline(true);
  chat.setOpen(true);
  server.fail = 'card-number';
  renderScreen(<ChatPanel chat={chat} online overlay={false} />);
  chat.send('4111 1111');
  expect(await screen.findByText('Please don’t enter card numbers here.', { exact: false })).toBeDefined();
  // With an open chat it is visible there.
  expect(failures).toEqual([]);
  chat.setOpen(false);
  chat.retry('key0');
  await settle();
  expect(failures).toEqual(['card-number']);
  expect(wordsForNotice({ type: 'not-sent', code: 'card-number' }).text).toBe(
    'Your message was not sent. Please don’t enter card numbers here.',
  );
});

test('draft: survives closing the panel', async () => {
  const { chat } = setUp();
  const user = userEvent.setup();
  const panel = () => renderScreen(<ChatPanel chat={chat} online overlay />);
  const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  const first = panel();
  await user.type(field(), 'I have had');
  first.unmount();
  panel();
  expect(field().value).toBe('I have had');
  await user.type(field(), ' a cough{Enter}');
  expect(chat.view.get().items.map(({ text }) => text)).toEqual(['I have had a cough']);
  expect(field().value).toBe('');
});

test('unsent messages: survive a reload and keep their keys', async () => {
  const before = setUp();
  before.chat.send('first');
  before.chat.send('second');
  const { chat, stored, lines, settle } = setUp({ keys: 2, history: [fromUser(7, { payload: 'old' })] });
  expect(lines()).toEqual(['first sending', 'second sending']);
  chat.setOnline(true);
  await settle();
  expect(stored.map(({ payload, key }) => `${key} ${payload}`)).toEqual(['key0 first', 'key1 second']);
  // Earlier messages do not count as unread.
  await vi.waitFor(() => expect(chat.view.get()).toMatchObject({ unread: 0, items: { length: 3 } }), {
    timeout: 10_000,
  });
  expect(sessionStorage).toHaveLength(0);
});

test('messages that the server has or refused: are not kept', async () => {
  const { chat, server, settle } = setUp({ history: [message({ key: 'key0', payload: 'had' })] });
  chat.send('had');
  server.fail = 'card-number';
  chat.send('4111 1111');
  expect(sessionStorage).toHaveLength(1);
  chat.setOnline(true);
  await settle();
  await vi.waitFor(() => expect(sessionStorage).toHaveLength(0), { timeout: 10_000 });
  chat.setOnline(false);
  chat.retry('key1');
  expect(setUp().lines()).toEqual(['4111 1111 sending']);
  // A server error is not a refusal: its text is no code.
  server.fail = 'No.';
  chat.setOnline(true);
  await settle();
  expect(chat.view.get().items.at(-1)?.state).toEqual({ status: 'failed', code: undefined });
  // It is kept, and sent when its author asks for it.
  expect(setUp().lines()).toEqual(['4111 1111 failed']);
});

test('leave: reports refusals, also with the chat open, and how many messages are unsent', async () => {
  const { chat, server, failures } = setUp();
  chat.setOpen(true);
  chat.setOnline(true);
  server.fail = 'card-number';
  chat.send('4111 1111');
  await chat.sendRest();
  expect(failures).toEqual(['card-number']);
  chat.setOnline(false);
  chat.send('until tomorrow');
  expect(chat.waiting).toBe(1);
  chat.forgetUnsent();
  expect(sessionStorage).toHaveLength(0);
});

test('unsent messages: are of one person only, and are removed with the sign-in', async () => {
  const kept = () => Object.keys(sessionStorage).filter((place) => place.startsWith('room:'));
  fakeServer({ 'POST /api/auth/logout': () => undefined });
  startSignIn('patient', accessToken({ roles: 'P' }));
  setUp().chat.send('my secret');
  expect(kept()).toHaveLength(1);
  await signOut();
  expect(kept()).toEqual([]);
  setUp().chat.send('my secret');
  expect(setUp({ isPatient: false }).lines()).toEqual([]);
  expect(kept()).toEqual([]);
});

test('chat without a storage: works', async () => {
  vi.stubGlobal('sessionStorage', undefined);
  const { chat, stored, settle } = setUp();
  chat.send('hello');
  chat.setOnline(true);
  await settle();
  expect(stored).toHaveLength(1);
});

test('history and messages that arrive meanwhile: are merged without duplicates', async () => {
  const history = [message({ key: 'a', payload: 'old' })];
  const { chat } = setUp({ history });
  chat.setOnline(true);
  await vi.waitFor(() => expect(chat.view.get().items).toHaveLength(1), { timeout: 10_000 });
  expect(chat.view.get().unread).toBe(0);
  chat.receive(fromUser(7, { key: 'b', payload: 'new' }));
  chat.receive(fromUser(7, { key: 'b', payload: 'new' }));
  expect(chat.view.get()).toMatchObject({ unread: 1, items: [{ text: 'old' }, { text: 'new' }] });
  chat.setOpen(true);
  expect(chat.view.get().unread).toBe(0);
});

test('failed history: is read again while connected', async () => {
  vi.useFakeTimers();
  const { chat, server } = setUp({ history: [message({ payload: 'old' })] });
  server.noHistory = true;
  chat.setOnline(true);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(chat.view.get().items).toEqual([]);
  server.noHistory = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(chat.view.get()).toMatchObject({ unread: 0, items: [{ text: 'old' }] });
});

test('own messages: a patient’s have no user id, staff’s have one @ROLE-8', () => {
  const patient = setUp();
  const staff = setUp({ isPatient: false });
  for (const { chat } of [patient, staff]) {
    chat.receive(message({ key: 'a' }));
    chat.receive(fromUser(7, { key: 'b' }));
    chat.receive(fromUser(8, { key: 'c' }));
  }
  const mine = ({ chat }: typeof patient) => chat.view.get().items.map((item) => item.mine);
  expect(mine(patient)).toEqual([true, false, false]);
  expect(mine(staff)).toEqual([false, true, true]);
  // A colleague's message is on the staff's side, with the name.
  expect(staff.chat.view.get().items.map(({ name }) => name)).toEqual(['Ann Lee', '', 'Maya Reyes']);
});

test('message: trimmed, at least 2 characters, at most 1600 with a counter, Required, and Enter sends @VALID-3', async () => {
  const { chat, stored } = setUp();
  chat.setOnline(true);
  renderScreen(<ChatPanel chat={chat} online overlay={false} />);
  const user = userEvent.setup();
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  expect(screen.getByText('0/1600')).toBeDefined();

  await user.type(field, '  x  {Enter}');
  expect(await screen.findByText('Required')).toBeDefined();
  expect(stored).toEqual([]);
  await user.clear(field);
  expect(screen.queryByText('Required')).toBeNull();
  await user.type(field, '  ok  ');
  // Enter that ends a composition, in Chrome and in Safari.
  for (const composed of [{ isComposing: true }, { keyCode: 229 }])
    fireEvent.keyDown(field, { key: 'Enter', ...composed });
  expect(field.value).toBe('  ok  ');
  await user.type(field, '{Enter}');
  await vi.waitFor(() => expect(stored.map(({ payload }) => payload)).toEqual(['ok']), { timeout: 10_000 });
  expect(field.value).toBe('');

  expect(field.maxLength).toBe(1600);
  fireEvent.change(field, { target: { value: 'x'.repeat(1600) } });
  expect(screen.getByText('1600/1600')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await vi.waitFor(() => expect(stored.at(-1)?.payload).toHaveLength(1600), { timeout: 10_000 });
  expect(chat.send('x'.repeat(1601))).toBe(false);
});
