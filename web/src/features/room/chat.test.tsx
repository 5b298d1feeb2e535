import type { ChatMessage } from '@roomside/contract/room/calls.ts';
import type { ChatText } from '@roomside/contract/room/messages.ts';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderScreen } from '../../testing/render.tsx';
import { ensureTemporal } from '../../time/temporal.ts';
import { ChatPanel } from './ChatPanel.tsx';
import { ChatLog } from './chat.ts';

await ensureTemporal();
HTMLElement.prototype.scrollIntoView = () => undefined;

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

function setUp(options: { iAmPatient?: boolean; history?: ChatMessage[] } = {}) {
  const stored: ChatText[] = [];
  const server = { fail: undefined as string | undefined, down: false };
  let keys = 0;
  const iAmPatient = options.iAmPatient ?? true;
  const chat = new ChatLog({
    session: 's',
    iAmPatient,
    myUserId: iAmPatient ? null : 7,
    send: async (text) => {
      if (server.down) {
        chat.setOnline(false);
        throw new Error('gone');
      }
      if (server.fail) throw new Error(server.fail);
      stored.push(text);
      return stored.length;
    },
    history: async () => options.history ?? [],
    now: () => '2026-11-21T14:00:00Z',
    newKey: () => `key${keys++}`,
  });
  const lines = () => chat.view.get().items.map(({ text, state }) => `${text} ${state.status}`);
  const settle = () => vi.waitFor(() => expect(lines().some((line) => line.endsWith('sending'))).toBe(false));
  return { chat, stored, server, lines, settle };
}

test('what is written while the line is down is sent once, in order, when it is back', async () => {
  const { chat, stored, lines, server, settle } = setUp();
  chat.setOnline(true);
  server.down = true;
  chat.send('first');
  chat.send('second');
  await vi.waitFor(() => expect(chat.view.get().items).toHaveLength(2));
  expect(lines()).toEqual(['first sending', 'second sending']);
  server.down = false;
  chat.setOnline(true);
  chat.setOnline(true);
  await settle();
  expect(stored.map(({ payload, key }) => `${key} ${payload}`)).toEqual(['key0 first', 'key1 second']);
  expect(lines()).toEqual(['first sent', 'second sent']);
});

test('a refused message says so and is tried again with its key', async () => {
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

test('history and what came meanwhile are one list; each message stands once', async () => {
  const history = [message({ key: 'a', payload: 'old' })];
  const { chat } = setUp({ history });
  chat.setOnline(true);
  await vi.waitFor(() => expect(chat.view.get().items).toHaveLength(1));
  expect(chat.view.get().unread).toBe(0);
  chat.receive(fromUser(7, { key: 'b', payload: 'new' }));
  chat.receive(fromUser(7, { key: 'b', payload: 'new' }));
  expect(chat.view.get()).toMatchObject({ unread: 1, items: [{ text: 'old' }, { text: 'new' }] });
  chat.setOpen(true);
  expect(chat.view.get().unread).toBe(0);
});

test('mine: a patient’s have no user id, staff’s have one @ROLE-8', () => {
  const patient = setUp();
  const staff = setUp({ iAmPatient: false });
  for (const { chat } of [patient, staff]) {
    chat.receive(message({ key: 'a' }));
    chat.receive(fromUser(7, { key: 'b' }));
    chat.receive(fromUser(8, { key: 'c' }));
  }
  const mine = ({ chat }: typeof patient) => chat.view.get().items.map((item) => item.mine);
  expect(mine(patient)).toEqual([true, false, false]);
  expect(mine(staff)).toEqual([false, true, true]);
  // A colleague's message stands on the staff's side, with his name.
  expect(staff.chat.view.get().items.map(({ name }) => name)).toEqual(['Ann Lee', '', 'Maya Reyes']);
});

test('trimmed, at least 2 characters, at most 1600 with a counter, Required, and Enter sends @VALID-3', async () => {
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
  await user.type(field, '  ok  {Enter}');
  await vi.waitFor(() => expect(stored.map(({ payload }) => payload)).toEqual(['ok']));
  expect(field.value).toBe('');

  expect(field.maxLength).toBe(1600);
  fireEvent.change(field, { target: { value: 'x'.repeat(1600) } });
  expect(screen.getByText('1600/1600')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await vi.waitFor(() => expect(stored.at(-1)?.payload).toHaveLength(1600));
  expect(chat.send('x'.repeat(1601))).toBe(false);
});
