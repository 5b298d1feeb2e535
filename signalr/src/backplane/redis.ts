import { randomBytes } from 'node:crypto';
import { createClient, ErrorReply } from '@redis/client';
import { guarded } from '../logging.ts';
import type { Backplane, Logger } from '../types.ts';
import { Remote } from './remote.ts';
import { failure, Requests, reasonOf } from './requests.ts';
import { type Ears, inboxKey, type RemoteOptions, type Wire } from './wire.ts';

export interface RedisOptions extends RemoteOptions {
  /** `redis[s]://[user:password@]host[:port]`, Redis 6 or later. */
  readonly url: string;
  /** Before the names of all channels, for several applications on one server. Default `signalr`. */
  readonly prefix?: string | undefined;
}

/** Joins processes through the publish/subscribe of a Redis server. It connects in the background, and again for ever. */
export function redis({ url, prefix = 'signalr', ...rest }: RedisOptions): Backplane {
  const options = { ...rest, logger: rest.logger && guarded(rest.logger) };
  const parsed = new URL(url);
  if (!/^rediss?:$/.test(parsed.protocol)) throw new TypeError('The URL of Redis begins with redis:// or rediss://.');
  return new Remote((ears) => dial(url, prefix, options.logger, ears), options);
}

const connectMs = 2000;

function client(url: string) {
  return createClient({
    url,
    RESP: 3,
    // One client is one line: what comes after it is not its business.
    socket: { connectTimeout: connectMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // Without a timer for each command: a silent server is noticed by other means.
    commandOptions: { timeout: 0 },
  });
}

async function dial(url: string, prefix: string, logger: Logger | undefined, ears: Ears): Promise<Wire> {
  const connection = client(url);
  let timer: NodeJS.Timeout | undefined;
  connection.on('error', (error) => ears.lost(error));
  connection.on('connect', () => {
    timer = setTimeout(() => connection.destroy(), connectMs);
  });
  try {
    await connection.connect();
    const wire = new RedisWire(connection, prefix, logger, ears);
    await wire.open();
    return wire;
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
 * In a topic: origin, message. In an inbox: origin, number of the request, question. In the channel of replies that each wire has
 * under its origin: number, success (1) or failure (0), answer or reason.
 */
class RedisWire implements Wire {
  readonly #client: ReturnType<typeof client>;
  readonly #prefix: string;
  readonly #logger: Logger | undefined;
  readonly #ears: Ears;
  readonly #origin = randomBytes(originBytes);
  readonly #requests = new Requests();
  readonly #listeners = new Map<string, (message: Buffer) => void>();
  /** One line of the log tells it for all. */
  #refused = false;

  constructor(connection: ReturnType<typeof client>, prefix: string, logger: Logger | undefined, ears: Ears) {
    this.#client = connection;
    this.#prefix = prefix;
    this.#logger = logger;
    this.#ears = ears;
  }

  async open(): Promise<void> {
    await this.#client.subscribe(this.#replies(this.#origin), (message: Buffer) => this.#reply(message), true);
  }

  async subscribe(key: string): Promise<void> {
    const listener = key.startsWith(inbox)
      ? (message: Buffer) => void this.#question(key, message)
      : (message: Buffer) => this.#message(key, message);
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
    this.#send(this.#channel(key), message).catch(this.#lose);
  }

  request(key: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const { id, answer } = this.#requests.open(timeoutMs);
    const message = Buffer.allocUnsafe(originBytes + idBytes + data.length);
    message.set(this.#origin);
    message.writeUInt32BE(id, originBytes);
    message.set(data, originBytes + idBytes);
    this.#send(this.#channel(key), message).then(
      (receivers) => {
        if (Number(receivers) === 0) this.#requests.fail(id, failure.absent);
      },
      (error) => this.#requests.fail(id, reasonOf(error)),
    );
    return answer;
  }

  ping(): Promise<unknown> {
    return this.#client.sendCommand(['PING']);
  }

  cut(): void {
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

  /** A message that the line did not take is lost, as promised; that the server refuses it is news. */
  readonly #lose = (err: unknown): void => {
    if (err instanceof ErrorReply && !this.#refused) this.#logger?.error({ err }, 'backplane refuses');
    this.#refused ||= err instanceof ErrorReply;
  };

  #message(key: string, message: Buffer): void {
    if (message.length < originBytes || message.compare(this.#origin, 0, originBytes, 0, originBytes) === 0) return;
    this.#ears.receive(key, message.subarray(originBytes));
  }

  async #question(key: string, message: Buffer): Promise<void> {
    const head = originBytes + idBytes;
    if (message.length < head) return;
    let outcome = succeeded;
    let answer: Uint8Array;
    try {
      answer = await this.#ears.answer(key, message.subarray(head));
    } catch (error) {
      outcome = failed;
      answer = Buffer.from(reasonOf(error));
    }
    const reply = Buffer.allocUnsafe(idBytes + 1 + answer.length);
    message.copy(reply, 0, originBytes, head);
    reply[idBytes] = outcome;
    reply.set(answer, idBytes + 1);
    await this.#send(this.#replies(message.subarray(0, originBytes)), reply).catch(this.#lose);
  }

  #reply(message: Buffer): void {
    if (message.length <= idBytes) return;
    const id = message.readUInt32BE(0);
    const answer = message.subarray(idBytes + 1);
    if (message[idBytes] === succeeded) this.#requests.succeed(id, answer);
    else this.#requests.fail(id, answer.toString());
  }
}
