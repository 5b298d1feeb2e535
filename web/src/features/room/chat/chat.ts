import { guestName } from '@roomside/contract/guests/guest-name.ts';
import { limits } from '@roomside/contract/limits.ts';
import type { ChatMessage } from '@roomside/contract/room/calls.ts';
import { type ChatText, isMine, type Reader } from '@roomside/contract/room/messages.ts';
import { type Clock, retryMs } from '../core/clock.ts';
import { refusalOf } from '../core/refusal-of.ts';
import { createStore, type Store } from '../core/store.ts';
import type { Unsent, UnsentMessages } from './unsent.ts';

/** A message of the chat. `failed` holds the server's code, if there is one. `sending` lasts until there is a connection. */
export interface ChatItem {
  key: string;
  /** The side it is shown on (ROLE-8): a colleague's message is on the staff's side too. */
  mine: boolean;
  /** The author; empty for the user's own messages. */
  name: string;
  text: string;
  /** ISO. */
  date: string;
  state: { status: 'sending' | 'sent' } | { status: 'failed'; code: string | undefined };
}

export interface ChatView {
  items: readonly ChatItem[];
  unread: number;
  open: boolean;
}

interface Parts {
  session: string;
  reader: Reader;
  /** Null for patients and guests. */
  myUserId: number | null;
  /** Stores a message and returns its id. */
  send: (text: ChatText) => Promise<number>;
  history: () => Promise<readonly ChatMessage[]>;
  clock: Clock;
  newKey: () => string;
  /** Keeps unsent messages beyond the page. */
  unsent?: UnsentMessages;
  /** A message of another person has arrived; it is read aloud. */
  onArrival?: (item: ChatItem) => void;
  /** A message could not be sent, and the chat is closed. */
  onFailed?: (code: string | undefined) => void;
}

/** Refusals that repeat for the same text. */
const final: ReadonlySet<string | undefined> = new Set(['card-number', 'malformed', 'not-allowed', 'not-found']);

/** VALID-3: the text to send, or undefined when it is too short. */
export function readDraft(draft: string): string | undefined {
  const text = draft.trim();
  return text.length >= limits.chatMin && text.length <= limits.chatMax ? text : undefined;
}

/**
 * The chat of one visit. Messages written while disconnected are sent after the reconnect. Each has a key, and the server
 * stores a key once.
 */
export class ChatLog {
  readonly view: Store<ChatView> = createStore<ChatView>({ items: [], unread: 0, open: false });
  /** The draft; it survives closing the panel. */
  readonly draft: Store<string> = createStore('');
  readonly #parts: Parts;
  #online = false;
  /** Counts changes of the connection; results that belong to an earlier one are dropped. */
  #turn = 0;
  #flushing = false;
  #hasHistory = false;
  /** The room is being left. */
  #leaving = false;
  /** Messages sent to the server without a result yet, by key. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const items = parts.unsent?.load().map(itemOfUnsent) ?? [];
    this.#set({ items });
  }

  /** The room was entered (again), or the connection is lost. */
  setOnline(online: boolean): void {
    this.#online = online;
    this.#turn += 1;
    if (!online) return;
    this.#leaving = false;
    void this.#flush();
    void this.#readHistory();
  }

  /** Returns false for a text that is too short or too long. */
  send(draft: string): boolean {
    const text = readDraft(draft);
    if (text === undefined) return false;
    const { clock, newKey, unsent } = this.#parts;
    const message = { key: newKey(), text, date: new Date(clock.now()).toISOString() };
    unsent?.keep(message);
    this.#set({ items: [...this.view.get().items, itemOfUnsent(message)] });
    void this.#flush();
    return true;
  }

  retry(key: string): void {
    this.#mark(key, { status: 'sending' });
    void this.#flush();
  }

  /**
   * Called on leaving: sends what is queued immediately and in order, before anything that is sent after it. The server
   * handles one call after another.
   */
  async sendRest(): Promise<void> {
    this.#leaving = true;
    if (!this.#online) return;
    for (let next = this.#next(); next; next = this.#next()) void this.#deliver(next);
    await Promise.all(this.#underWay.values());
  }

  /** How many own messages are not stored yet. */
  get waiting(): number {
    return this.view.get().items.filter(({ state }) => state.status === 'sending').length;
  }

  /** The visit is over: the server accepts no more messages. */
  forgetUnsent(): void {
    this.#parts.unsent?.clear();
  }

  /** Adds a message that the hub pushed. */
  receive(message: ChatMessage): void {
    const item = this.#itemOf(message);
    if (this.view.get().items.some(({ key }) => key === item.key)) return this.#mark(item.key, item.state);
    const { items, unread, open } = this.view.get();
    this.#set({ items: [...items, item], unread: item.name === '' || open ? unread : unread + 1 });
    if (item.name !== '') this.#parts.onArrival?.(item);
  }

  setOpen(open: boolean): void {
    this.#set({ open, ...(open && { unread: 0 }) });
  }

  async #readHistory(): Promise<void> {
    const mine = this.#turn;
    try {
      this.#merge(await this.#parts.history());
    } catch {
      // The messages stay. The next connection reads the history anyway.
      this.#parts.clock.after(retryMs, () => {
        if (mine === this.#turn) void this.#readHistory();
      });
    }
  }

  /** One after another, to keep their order. */
  async #flush(): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    for (let next = this.#next(); next && this.#online; next = this.#next()) await this.#deliver(next);
    this.#flushing = false;
  }

  #next(): ChatItem | undefined {
    return this.view.get().items.find(({ key, state }) => state.status === 'sending' && !this.#underWay.has(key));
  }

  #deliver(item: ChatItem): Promise<void> {
    const done = this.#give(item).finally(() => this.#underWay.delete(item.key));
    this.#underWay.set(item.key, done);
    return done;
  }

  async #give({ key, text }: ChatItem): Promise<void> {
    const mine = this.#turn;
    try {
      await this.#parts.send({ session: this.#parts.session, payload: text, key });
      this.#mark(key, { status: 'sent' });
    } catch (error) {
      const code = refusalOf(error);
      // A lost connection is not a refusal: the message waits for the next connection.
      if (mine !== this.#turn && code === undefined) return;
      this.#mark(key, { status: 'failed', code });
      if (!this.view.get().open || this.#leaving) this.#parts.onFailed?.(code);
    }
  }

  /** The server's messages in its order, then those that it does not have yet. */
  #merge(messages: readonly ChatMessage[]): void {
    const { items, open, unread } = this.view.get();
    const stored = messages.map((message) => this.#itemOf(message));
    const keys = new Set(stored.map(({ key }) => key));
    const known = new Set(items.map(({ key }) => key));
    // The first history counts as read. Later ones bring what arrived while disconnected.
    const isFirst = !this.#hasHistory;
    this.#hasHistory = true;
    const unseen = isFirst || open ? 0 : stored.filter(({ key, name }) => name !== '' && !known.has(key)).length;
    for (const { key } of items) if (keys.has(key)) this.#parts.unsent?.drop(key);
    this.#set({ items: [...stored, ...items.filter(({ key }) => !keys.has(key))], unread: unread + unseen });
  }

  #itemOf(message: ChatMessage): ChatItem {
    const { key, payload: text, date, userId } = message;
    const { reader, myUserId } = this.#parts;
    const mine = isMine(message, reader);
    const isOwn = mine && userId === myUserId;
    const author = message.user ?? message.patient;
    const by = message.guest ? guestName(message.guest) : author && `${author.firstName} ${author.lastName}`.trim();
    const name = isOwn ? '' : (by ?? '');
    return { key, mine, name, text, date, state: { status: 'sent' } };
  }

  #mark(key: string, state: ChatItem['state']): void {
    const items = this.view.get().items.map((item) => (item.key === key ? { ...item, state } : item));
    this.#keep(items.find((item) => item.key === key));
    this.#set({ items });
  }

  /** A message that can still be sent is stored beyond the page; a failed one is sent again on request only. */
  #keep(item: ChatItem | undefined): void {
    const { unsent } = this.#parts;
    if (!unsent || !item) return;
    const { key, text, date, state } = item;
    if (state.status === 'sent' || (state.status === 'failed' && final.has(state.code))) unsent.drop(key);
    else unsent.keep({ key, text, date, failed: state.status === 'failed' });
  }

  #set(part: Partial<ChatView>): void {
    this.view.set({ ...this.view.get(), ...part });
  }
}

function itemOfUnsent({ key, text, date, failed = false }: Unsent): ChatItem {
  const state = failed ? ({ status: 'failed', code: undefined } as const) : ({ status: 'sending' } as const);
  return { key, mine: true, name: '', text, date, state };
}
