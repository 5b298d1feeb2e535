import { randomBytes } from 'node:crypto';
import { createClient, ErrorReply } from '@redis/client';
import { safeLogger } from '../logging.ts';
import type { Backplane, Logger } from '../types.ts';
import { type Broker, type BrokerEvents, type BrokerOptions, inboxKey } from './broker.ts';
import { BrokerBackplane } from './broker-backplane.ts';
import { failure, Requests, reasonOf } from './requests.ts';

export interface RedisOptions extends BrokerOptions {
  /** `redis[s]://[user:password@]host[:port]`, Redis 6 or later. */
  readonly url: string;
  /** The first part of all channel names, to separate applications on one server. Default `signalr`. */
  readonly prefix?: string | undefined;
}

/** Connects nodes through Redis publish/subscribe. It connects in the background and reconnects without limit. */
export function redis({ url, prefix = 'signalr', ...rest }: RedisOptions): Backplane {
  const options = { ...rest, logger: rest.logger && safeLogger(rest.logger) };
  const parsed = new URL(url);
  if (!/^rediss?:$/.test(parsed.protocol)) throw new TypeError('The URL of Redis begins with redis:// or rediss://.');
  return new BrokerBackplane((events) => dial(url, prefix, options.logger, events), options);
}

const connectMs = 2000;
/** The time between two checks whether the receiver of a pending request is gone, ms. */
const receiverCheckMs = 500;

function client(url: string) {
  return createClient({
    url,
    RESP: 3,
    // BrokerBackplane reconnects.
    socket: { connectTimeout: connectMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // No timer per command: BrokerBackplane's heartbeat detects a server that does not respond.
    commandOptions: { timeout: 0 },
  });
}

async function dial(url: string, prefix: string, logger: Logger | undefined, events: BrokerEvents): Promise<Broker> {
  const connection = client(url);
  let timer: NodeJS.Timeout | undefined;
  connection.on('error', (error) => events.lost(error));
  connection.on('connect', () => {
    timer = setTimeout(() => connection.destroy(), connectMs);
  });
  try {
    await connection.connect();
    const broker = new RedisBroker(connection, prefix, logger, events);
    await broker.open();
    return broker;
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const originBytes = 8;
const idBytes = 4;
const failed = 0;
const succeeded = 1;
const inbox = inboxKey('');

/**
 * The message formats. Topic: origin, message. Inbox: origin, request number, request. Reply channel of an origin: request number,
 * success (1) or failure (0), response or error text.
 */
class RedisBroker implements Broker {
  readonly #client: ReturnType<typeof client>;
  readonly #prefix: string;
  readonly #logger: Logger | undefined;
  readonly #events: BrokerEvents;
  readonly #origin = randomBytes(originBytes);
  readonly #requests = new Requests();
  readonly #listeners = new Map<string, (message: Buffer) => void>();
  /** A refusal is logged once per connection. */
  #hasLoggedRefusal = false;

  constructor(connection: ReturnType<typeof client>, prefix: string, logger: Logger | undefined, events: BrokerEvents) {
    this.#client = connection;
    this.#prefix = prefix;
    this.#logger = logger;
    this.#events = events;
  }

  async open(): Promise<void> {
    await this.#client.subscribe(this.#replies(this.#origin), (message: Buffer) => this.#onReply(message), true);
  }

  async subscribe(key: string): Promise<void> {
    const listener = key.startsWith(inbox)
      ? (message: Buffer) => void this.#onRequest(key, message)
      : (message: Buffer) => this.#onMessage(key, message);
    this.#listeners.set(key, listener);
    await this.#client.subscribe(this.#channel(key), listener, true);
  }

  async unsubscribe(key: string): Promise<void> {
    const listener = this.#listeners.get(key);
    this.#listeners.delete(key);
    await this.#client.unsubscribe(this.#channel(key), listener, true);
  }

  publish(key: string, data: Uint8Array): void {
    const message = Buffer.allocUnsafe(originBytes + data.length);
    message.set(this.#origin);
    message.set(data, originBytes);
    this.#send(this.#channel(key), message).catch(this.#onSendError);
  }

  request(key: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const { id, answer } = this.#requests.open(timeoutMs);
    const message = Buffer.allocUnsafe(originBytes + idBytes + data.length);
    message.set(this.#origin);
    message.writeUInt32BE(id, originBytes);
    message.set(data, originBytes + idBytes);
    const channel = this.#channel(key);
    const fail = (error: unknown) => this.#requests.fail(id, reasonOf(error));
    this.#send(channel, message).then((receivers) => {
      if (Number(receivers) === 0) this.#requests.fail(id, failure.absent);
    }, fail);
    // A process that was killed counts as a receiver until the server has noticed it.
    const check = setInterval(() => {
      this.#countSubscribers(channel).then((count) => {
        if (count === 0) this.#requests.fail(id, failure.absent);
      }, fail);
    }, receiverCheckMs);
    return answer.finally(() => clearInterval(check));
  }

  async #countSubscribers(channel: string): Promise<number> {
    const reply = await this.#client.sendCommand<[string, number]>(['PUBSUB', 'NUMSUB', channel]);
    return Number(reply[1]);
  }

  ping(): Promise<unknown> {
    return this.#client.sendCommand(['PING']);
  }

  destroy(): void {
    this.#client.destroy();
    this.#requests.failAll(failure.down);
  }

  #channel(key: string): string {
    return `${this.#prefix}:${key}`;
  }

  #replies(origin: Buffer): string {
    return `${this.#prefix}:reply:${origin.toString('hex')}`;
  }

  #send(channel: string, message: Buffer): Promise<unknown> {
    return this.#client.sendCommand(['PUBLISH', channel, message]);
  }

  /** Logs a message that the server refuses. A message lost with the connection is not logged: delivery is at most once. */
  readonly #onSendError = (err: unknown): void => {
    if (err instanceof ErrorReply && !this.#hasLoggedRefusal) this.#logger?.error({ err }, 'backplane refuses');
    this.#hasLoggedRefusal ||= err instanceof ErrorReply;
  };

  #onMessage(key: string, message: Buffer): void {
    if (message.length < originBytes || message.compare(this.#origin, 0, originBytes, 0, originBytes) === 0) return;
    this.#events.receive(key, message.subarray(originBytes));
  }

  async #onRequest(key: string, message: Buffer): Promise<void> {
    const head = originBytes + idBytes;
    if (message.length < head) return;
    let outcome = succeeded;
    let answer: Uint8Array;
    try {
      answer = await this.#events.answer(key, message.subarray(head));
    } catch (error) {
      outcome = failed;
      answer = Buffer.from(reasonOf(error));
    }
    const reply = Buffer.allocUnsafe(idBytes + 1 + answer.length);
    message.copy(reply, 0, originBytes, head);
    reply[idBytes] = outcome;
    reply.set(answer, idBytes + 1);
    await this.#send(this.#replies(message.subarray(0, originBytes)), reply).catch(this.#onSendError);
  }

  #onReply(message: Buffer): void {
    if (message.length <= idBytes) return;
    const id = message.readUInt32BE(0);
    const answer = message.subarray(idBytes + 1);
    if (message[idBytes] === succeeded) this.#requests.succeed(id, answer);
    else this.#requests.fail(id, answer.toString());
  }
}
