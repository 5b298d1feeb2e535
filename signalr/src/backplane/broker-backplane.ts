import { setTimeout as sleep } from 'node:timers/promises';
import type { Backplane, BackplaneLink, BackplaneMember, Logger } from '../types.ts';
import { type Broker, type BrokerEvents, type BrokerOptions, inboxKey, topicKey } from './broker.ts';
import { failure, Requests } from './requests.ts';
import { Subscriptions } from './subscriptions.ts';

const maxPauseMs = 2000;
/** The maximum of unconfirmed bytes; beyond it the broker is too slow and messages are lost. */
const maxUnreadBytes = 64 * 1024 * 1024;
/** A ping is sent after this many bytes to confirm that the broker has read them. */
const probeBytes = 1024 * 1024;

interface Member {
  readonly handler: BackplaneMember;
  readonly keys: Set<string>;
}

/** A backplane over a broker (Redis, NATS). It keeps one connection open; nodes of the same process are connected without it. */
export class BrokerBackplane implements Backplane {
  readonly #dial: (events: BrokerEvents) => Promise<Broker>;
  readonly #logger: Logger | undefined;
  readonly #pingMs: number;
  readonly #members = new Map<string, Member>();
  /** The subscribed members of this process, by key. */
  readonly #subscribers = new Map<string, Set<Member>>();
  /** Requests within this process. */
  readonly #requests = new Requests();
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #endConnection: (cause: unknown) => void = () => {};
  #broker: Broker | undefined;
  #subscriptions: Subscriptions | undefined;
  #unreadBytes = 0;
  #unprobedBytes = 0;
  #isTooSlow = false;
  state: 'up' | 'down' = 'down';

  constructor(dial: (events: BrokerEvents) => Promise<Broker>, { logger, pingMs = 3000 }: BrokerOptions) {
    this.#dial = dial;
    this.#logger = logger;
    this.#pingMs = pingMs;
    this.#ended = this.#reconnectUntilClosed();
  }

  connect(instance: string, handler: BackplaneMember): BackplaneLink {
    const member: Member = { handler, keys: new Set() };
    this.#members.set(instance, member);
    void this.#subscribe(inboxKey(instance), member);
    return {
      isSingleNode: false,
      publish: (topic, data) => this.#publish(topicKey(topic), data, member),
      subscribe: (topic) => this.#subscribe(topicKey(topic), member),
      unsubscribe: (topic) => this.#unsubscribe(topicKey(topic), member),
      request: (other, data, timeoutMs) => this.#request(other, data, timeoutMs),
      disconnect: async () => {
        if (this.#members.get(instance) === member) this.#members.delete(instance);
        await Promise.all([...member.keys].map(async (key) => this.#unsubscribe(key, member)));
      },
    };
  }

  /** Waits at most 1 s until the broker has read the messages published before. */
  async close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      if (this.state === 'up' && this.#broker) {
        const timer = new AbortController();
        await Promise.race([this.#broker.ping().catch(() => {}), sleep(1000, undefined, timer)]).catch(() => {});
        timer.abort();
      }
      this.#closing.abort();
      this.#endConnection(undefined);
      this.#requests.failAll(failure.down);
      this.#members.clear();
      this.#subscribers.clear();
    }
    await this.#ended;
  }

  #publish(key: string, data: Uint8Array, from: Member): void {
    for (const member of this.#subscribers.get(key) ?? []) if (member !== from) this.#deliver(member, key, data);
    const broker = this.#broker;
    if (!broker || this.state === 'down') return;
    if (this.#unreadBytes > maxUnreadBytes) {
      if (!this.#isTooSlow) this.#logger?.error({}, 'backplane reads too slowly: messages are lost');
      this.#isTooSlow = true;
      return;
    }
    const bytes = key.length + data.length + 64;
    this.#unreadBytes += bytes;
    this.#unprobedBytes += bytes;
    broker.publish(key, data);
    if (this.#unprobedBytes >= probeBytes) this.#probe(broker);
  }

  #probe(broker: Broker): void {
    const probedBytes = this.#unprobedBytes;
    this.#unprobedBytes = 0;
    broker.ping().then(
      () => {
        if (broker === this.#broker) this.#unreadBytes -= probedBytes;
      },
      () => {},
    );
  }

  async #request(other: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const local = this.#members.get(other);
    if (!local) {
      if (!this.#broker || this.state === 'down') throw new Error(failure.down);
      return this.#broker.request(inboxKey(other), data, timeoutMs);
    }
    return this.#requests.run(timeoutMs, () => local.handler.answer(data));
  }

  #subscribe(key: string, member: Member): Promise<void> | void {
    let members = this.#subscribers.get(key);
    if (!members) this.#subscribers.set(key, (members = new Set()));
    members.add(member);
    member.keys.add(key);
    return this.#updateSubscription(key);
  }

  #unsubscribe(key: string, member: Member): Promise<void> | void {
    const members = this.#subscribers.get(key);
    member.keys.delete(key);
    if (!members?.delete(member)) return undefined;
    if (members.size === 0) this.#subscribers.delete(key);
    return this.#updateSubscription(key);
  }

  /** Logs a refused subscription. A lost connection is no failure: the next one subscribes again. */
  #updateSubscription(key: string): Promise<void> | void {
    const broker = this.#broker;
    return this.#subscriptions?.update(key)?.catch((err: unknown) => {
      if (broker === this.#broker) this.#logger?.error({ err }, 'backplane refuses a subscription');
    });
  }

  #deliver(member: Member, key: string, data: Uint8Array): void {
    try {
      member.handler.receive(key.slice(topicKey('').length), data);
    } catch (err) {
      this.#logger?.error({ err }, 'backplane message failed');
    }
  }

  readonly #receive = (key: string, data: Uint8Array): void => {
    for (const member of this.#subscribers.get(key) ?? []) this.#deliver(member, key, data);
  };

  readonly #answer = async (key: string, data: Uint8Array): Promise<Uint8Array> => {
    const member = this.#members.get(key.slice(inboxKey('').length));
    if (!member) throw new Error(failure.absent);
    return member.handler.answer(data);
  };

  async #reconnectUntilClosed(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    let hasLogged = false;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const { cause, wasUp } = await this.#runConnection();
      if (signal.aborted) return;
      if (wasUp || !hasLogged) this.#logger?.warn({ err: cause }, 'backplane is down');
      hasLogged = true;
      // The back-off also applies to a broker that closes new connections immediately.
      failures = wasUp && performance.now() - startedAt > maxPauseMs ? 0 : failures + 1;
      const pause = Math.min(maxPauseMs, 50 * 2 ** failures) * (0.5 + Math.random() / 2);
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  /** Opens a connection, uses it until it is lost, and cleans up. */
  async #runConnection(): Promise<{ readonly cause: unknown; readonly wasUp: boolean }> {
    const { promise: lost, resolve } = Promise.withResolvers<unknown>();
    this.#endConnection = resolve;
    let pingInterval: NodeJS.Timeout | undefined;
    let broker: Broker | undefined;
    let wasUp = false;
    try {
      broker = await this.#dial({ receive: this.#receive, answer: this.#answer, lost: resolve });
      if (this.#closing.signal.aborted) return { cause: undefined, wasUp };
      pingInterval = this.#pingRegularly(broker, resolve);
      this.#useBroker(broker);
      const subscribed = Promise.all(
        [...this.#subscribers.keys()].map(async (key) => this.#updateSubscription(key)),
      ).then(() => {
        wasUp = true;
      });
      await Promise.race([subscribed, lost]);
      if (wasUp && this.#broker === broker) {
        this.state = 'up';
        this.#logger?.info({}, 'backplane is up');
      }
      return { cause: await lost, wasUp };
    } catch (cause) {
      return { cause, wasUp };
    } finally {
      clearInterval(pingInterval);
      this.state = 'down';
      this.#broker = undefined;
      this.#subscriptions = undefined;
      broker?.destroy();
    }
  }

  #useBroker(broker: Broker): void {
    this.#broker = broker;
    this.#subscriptions = new Subscriptions(broker, (key) => this.#subscribers.has(key));
    this.#unreadBytes = 0;
    this.#unprobedBytes = 0;
    this.#isTooSlow = false;
  }

  /** Sends heartbeats and reports the connection as lost when they are not answered. */
  #pingRegularly(broker: Broker, lost: (cause: unknown) => void): NodeJS.Timeout {
    let unanswered = 0;
    return setInterval(() => {
      // Two, because after a pause of this process one response may have arrived without being read.
      if (unanswered >= 2) return lost(new Error('The server does not respond.'));
      unanswered += 1;
      broker.ping().then(
        () => {
          unanswered = 0;
        },
        () => {},
      );
    }, this.#pingMs);
  }
}
