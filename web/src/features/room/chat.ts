import { limits } from '@roomside/contract/limits.ts';
import type { ChatMessage } from '@roomside/contract/room/calls.ts';
import { type ChatText, isMine } from '@roomside/contract/room/messages.ts';
import { createStore, type Store } from './store.ts';

/** A line of the chat. `failed` holds the server's code; sending lasts until there is a connection. */
export interface ChatItem {
  key: string;
  /** On which side it stands (ROLE-8): a colleague's is on the staff's side too. */
  mine: boolean;
  /** Who wrote it; empty for what this person wrote. */
  name: string;
  text: string;
  /** ISO. */
  date: string;
  state: { status: 'sending' | 'sent' } | { status: 'failed'; code: string };
}

export interface ChatView {
  items: readonly ChatItem[];
  unread: number;
  open: boolean;
}

interface Parts {
  session: string;
  iAmPatient: boolean;
  /** Null for a patient. */
  myUserId: number | null;
  /** Stores a message; answers with its id. */
  send: (text: ChatText) => Promise<number>;
  history: () => Promise<readonly ChatMessage[]>;
  /** ISO. */
  now: () => string;
  newKey: () => string;
  /** A message of somebody else, for the ear. */
  onArrival?: (item: ChatItem) => void;
}

/** VALID-3: what would be sent, or undefined where that is too little. */
export function readDraft(draft: string): string | undefined {
  const text = draft.trim();
  return text.length >= limits.chatMin && text.length <= limits.chatMax ? text : undefined;
}

/**
 * The chat of one visit. What is written while the line is down waits and is sent once when it is back: each message has
 * a key, and the server stores a key once.
 */
export class ChatLog {
  readonly view: Store<ChatView> = createStore<ChatView>({ items: [], unread: 0, open: false });
  readonly #parts: Parts;
  #online = false;
  #flushing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The room was entered (again), or the line is down. */
  setOnline(online: boolean): void {
    this.#online = online;
    if (!online) return;
    void this.#flush();
    void this.#parts.history().then(
      (messages) => this.#merge(messages),
      // The next connection asks again; what is here stays.
      () => undefined,
    );
  }

  /** Answers false for what is too short or too long to be sent. */
  send(draft: string): boolean {
    const text = readDraft(draft);
    if (text === undefined) return false;
    const { now, newKey } = this.#parts;
    const item: ChatItem = { key: newKey(), mine: true, name: '', text, date: now(), state: { status: 'sending' } };
    this.#set({ items: [...this.view.get().items, item] });
    void this.#flush();
    return true;
  }

  retry(key: string): void {
    this.#mark(key, { status: 'sending' });
    void this.#flush();
  }

  /** Takes in what the hub brought. */
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

  /** One after another, so that they stay in order. */
  async #flush(): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    for (;;) {
      const next = this.view.get().items.find((item) => item.state.status === 'sending');
      if (!next || !this.#online) break;
      try {
        await this.#parts.send({ session: this.#parts.session, payload: next.text, key: next.key });
        this.#mark(next.key, { status: 'sent' });
      } catch (error) {
        // A line that broke is not a refusal: the message waits for the next connection.
        if (!this.#online) break;
        this.#mark(next.key, { status: 'failed', code: (error as Error).message });
      }
    }
    this.#flushing = false;
  }

  /** The server's order first, then what it does not have yet. */
  #merge(messages: readonly ChatMessage[]): void {
    const { items, open, unread } = this.view.get();
    const stored = messages.map((message) => this.#itemOf(message));
    const keys = new Set(stored.map(({ key }) => key));
    const known = new Set(items.map(({ key }) => key));
    // The first history is what was read before; after that, what came while the line was down is news.
    const isFirst = items.length === 0;
    const news = isFirst || open ? 0 : stored.filter(({ key, name }) => name !== '' && !known.has(key)).length;
    this.#set({ items: [...stored, ...items.filter(({ key }) => !keys.has(key))], unread: unread + news });
  }

  #itemOf(message: ChatMessage): ChatItem {
    const { key, payload: text, date, userId } = message;
    const { iAmPatient, myUserId } = this.#parts;
    const author = message.user ?? message.patient;
    const name = author && userId !== myUserId ? `${author.firstName} ${author.lastName}`.trim() : '';
    return { key, mine: isMine(message, iAmPatient), name, text, date, state: { status: 'sent' } };
  }

  #mark(key: string, state: ChatItem['state']): void {
    this.#set({ items: this.view.get().items.map((item) => (item.key === key ? { ...item, state } : item)) });
  }

  #set(part: Partial<ChatView>): void {
    this.view.set({ ...this.view.get(), ...part });
  }
}
