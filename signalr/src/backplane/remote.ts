import { setTimeout as sleep } from 'node:timers/promises';
import type { Backplane, BackplaneLink, BackplaneMember, Logger } from '../types.ts';
import { failure, Requests } from './requests.ts';
import { Subscriptions } from './subscriptions.ts';
import { type Ears, inboxKey, type RemoteOptions, topicKey, type Wire } from './wire.ts';

const maxPauseMs = 2000;
/** Bytes that the server has not been heard to have read; beyond them it is too slow, and messages are lost. */
const maxUnreadBytes = 64 * 1024 * 1024;
/** So often a ping tells how far the server has read. */
const soundingBytes = 1024 * 1024;

interface Member {
  readonly own: BackplaneMember;
  readonly keys: Set<string>;
}

/** A backplane over a server: keeps one wire up, and joins the members of this process without it. */
export class Remote implements Backplane {
  readonly #dial: (ears: Ears) => Promise<Wire>;
  readonly #logger: Logger | undefined;
  readonly #pingMs: number;
  readonly #members = new Map<string, Member>();
  /** Who in this process wants what. */
  readonly #wanted = new Map<string, Set<Member>>();
  /** Requests within this process. */
  readonly #requests = new Requests();
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #hangUp: (cause: unknown) => void = () => {};
  #wire: Wire | undefined;
  #subscriptions: Subscriptions | undefined;
  #unreadBytes = 0;
  #unsoundedBytes = 0;
  #tooSlow = false;
  state: 'up' | 'down' = 'down';

  constructor(dial: (ears: Ears) => Promise<Wire>, { logger, pingMs = 3000 }: RemoteOptions) {
    this.#dial = dial;
    this.#logger = logger;
    this.#pingMs = pingMs;
    this.#ended = this.#keepUp();
  }

  connect(instance: string, own: BackplaneMember): BackplaneLink {
    const member: Member = { own, keys: new Set() };
    this.#members.set(instance, member);
    void this.#want(inboxKey(instance), member);
    return {
      isSingleNode: false,
      publish: (topic, data) => this.#publish(topicKey(topic), data, member),
      subscribe: (topic) => this.#want(topicKey(topic), member),
      unsubscribe: (topic) => this.#unwant(topicKey(topic), member),
      request: (other, data, timeoutMs) => this.#request(other, data, timeoutMs),
      disconnect: async () => {
        if (this.#members.get(instance) === member) this.#members.delete(instance);
        await Promise.all([...member.keys].map(async (key) => this.#unwant(key, member)));
      },
    };
  }

  /** What was published before is still sent, unless the server is too slow for it. */
  async close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      if (this.state === 'up' && this.#wire) {
        const timer = new AbortController();
        await Promise.race([this.#wire.ping().catch(() => {}), sleep(1000, undefined, timer)]).catch(() => {});
        timer.abort();
      }
      this.#closing.abort();
      this.#hangUp(undefined);
      this.#requests.failAll(failure.down);
      this.#members.clear();
      this.#wanted.clear();
    }
    await this.#ended;
  }

  #publish(key: string, data: Uint8Array, from: Member): void {
    for (const member of this.#wanted.get(key) ?? []) if (member !== from) this.#deliver(member, key, data);
    const wire = this.#wire;
    if (!wire || this.state === 'down') return;
    if (this.#unreadBytes > maxUnreadBytes) {
      if (!this.#tooSlow) this.#logger?.error({}, 'backplane reads too slowly: messages are lost');
      this.#tooSlow = true;
      return;
    }
    const bytes = key.length + data.length + 64;
    this.#unreadBytes += bytes;
    this.#unsoundedBytes += bytes;
    wire.publish(key, data);
    if (this.#unsoundedBytes >= soundingBytes) this.#sound(wire);
  }

  #sound(wire: Wire): void {
    const sounded = this.#unsoundedBytes;
    this.#unsoundedBytes = 0;
    wire.ping().then(
      () => {
        if (wire === this.#wire) this.#unreadBytes -= sounded;
      },
      () => {},
    );
  }

  async #request(other: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const here = this.#members.get(other);
    if (!here) {
      if (!this.#wire || this.state === 'down') throw new Error(failure.down);
      return this.#wire.request(inboxKey(other), data, timeoutMs);
    }
    return this.#requests.run(timeoutMs, () => here.own.answer(data));
  }

  #want(key: string, member: Member): Promise<void> | void {
    let members = this.#wanted.get(key);
    if (!members) this.#wanted.set(key, (members = new Set()));
    members.add(member);
    member.keys.add(key);
    return this.#settle(key);
  }

  #unwant(key: string, member: Member): Promise<void> | void {
    const members = this.#wanted.get(key);
    member.keys.delete(key);
    if (!members?.delete(member)) return undefined;
    if (members.size === 0) this.#wanted.delete(key);
    return this.#settle(key);
  }

  /** A line that is lost meanwhile is no failure: the next one takes over what is wanted. A refusal is one; it is logged. */
  #settle(key: string): Promise<void> | void {
    const wire = this.#wire;
    return this.#subscriptions?.settle(key)?.catch((err: unknown) => {
      if (wire === this.#wire) this.#logger?.error({ err }, 'backplane refuses a subscription');
    });
  }

  #deliver(member: Member, key: string, data: Uint8Array): void {
    try {
      member.own.receive(key.slice(topicKey('').length), data);
    } catch (err) {
      this.#logger?.error({ err }, 'backplane message failed');
    }
  }

  readonly #receive = (key: string, data: Uint8Array): void => {
    for (const member of this.#wanted.get(key) ?? []) this.#deliver(member, key, data);
  };

  readonly #answer = async (key: string, data: Uint8Array): Promise<Uint8Array> => {
    const member = this.#members.get(key.slice(inboxKey('').length));
    if (!member) throw new Error(failure.absent);
    return member.own.answer(data);
  };

  async #keepUp(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    let told = false;
    while (!signal.aborted) {
      const dialled = performance.now();
      const { cause, wasUp } = await this.#oneLine();
      if (signal.aborted) return;
      if (wasUp || !told) this.#logger?.warn({ err: cause }, 'backplane is down');
      told = true;
      // A server that hangs up at once is not dialled more often than one that is gone.
      failures = wasUp && performance.now() - dialled > maxPauseMs ? 0 : failures + 1;
      const pause = Math.min(maxPauseMs, 50 * 2 ** failures) * (0.5 + Math.random() / 2);
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  /** Dials, holds the line until it is lost, and clears up. */
  async #oneLine(): Promise<{ readonly cause: unknown; readonly wasUp: boolean }> {
    const { promise: lost, resolve } = Promise.withResolvers<unknown>();
    this.#hangUp = resolve;
    let beat: NodeJS.Timeout | undefined;
    let wire: Wire | undefined;
    let wasUp = false;
    try {
      wire = await this.#dial({ receive: this.#receive, answer: this.#answer, lost: resolve });
      if (this.#closing.signal.aborted) return { cause: undefined, wasUp };
      beat = this.#listen(wire, resolve);
      this.#adopt(wire);
      const subscribed = Promise.all([...this.#wanted.keys()].map(async (key) => this.#settle(key))).then(() => {
        wasUp = true;
      });
      await Promise.race([subscribed, lost]);
      if (wasUp && this.#wire === wire) {
        this.state = 'up';
        this.#logger?.info({}, 'backplane is up');
      }
      return { cause: await lost, wasUp };
    } catch (cause) {
      return { cause, wasUp };
    } finally {
      clearInterval(beat);
      this.state = 'down';
      this.#wire = undefined;
      this.#subscriptions = undefined;
      wire?.cut();
    }
  }

  #adopt(wire: Wire): void {
    this.#wire = wire;
    this.#subscriptions = new Subscriptions(wire, (key) => this.#wanted.has(key));
    this.#unreadBytes = 0;
    this.#unsoundedBytes = 0;
    this.#tooSlow = false;
  }

  /** Listens for the server's signs of life. */
  #listen(wire: Wire, lost: (cause: unknown) => void): NodeJS.Timeout {
    let unanswered = 0;
    return setInterval(() => {
      // More than one: after a pause of this process the answer may be there, but not read yet.
      if (unanswered >= 2) return lost(new Error('The server is silent.'));
      unanswered += 1;
      wire.ping().then(
        () => {
          unanswered = 0;
        },
        () => {},
      );
    }, this.#pingMs);
  }
}
