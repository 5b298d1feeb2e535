import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as openSocket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  connect,
  headers,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
  NoRespondersError,
  RequestError,
  type Subscription,
  TimeoutError,
} from '@nats-io/transport-node';
import { safeLogger } from '../logging.ts';
import type { Backplane, Logger } from '../types.ts';
import { type Broker, type BrokerEvents, type BrokerOptions, inboxKey } from './broker.ts';
import { BrokerBackplane } from './broker-backplane.ts';
import { failure, reasonOf } from './requests.ts';

export interface NatsOptions extends BrokerOptions {
  /** `host[:port]` of one or several servers of a cluster. */
  readonly servers: string | readonly string[];
  /** The first part of all subjects, to separate applications on one server. Default `signalr`. */
  readonly prefix?: string | undefined;
  /** Credentials, TLS and the like. */
  readonly connection?: Omit<NodeConnectionOptions, 'servers' | 'reconnect' | 'noEcho'> | undefined;
}

/** Connects nodes through a NATS server (core). It connects in the background and reconnects without limit. */
export function nats({ servers, prefix = 'signalr', connection = {}, ...rest }: NatsOptions): Backplane {
  const options = { ...rest, logger: rest.logger && safeLogger(rest.logger) };
  if (!/^[\w-]+(\.[\w-]+)*$/.test(prefix)) throw new TypeError('The prefix of NATS is words, joined by dots.');
  const list = typeof servers === 'string' ? [servers] : [...servers];
  let attempt = 0;
  const next = () => list[attempt++ % list.length] ?? '127.0.0.1';
  return new BrokerBackplane((events) => dial(next(), connection, prefix, options.logger, events), options);
}

const connectMs = 2000;

async function dial(
  server: string,
  options: NonNullable<NatsOptions['connection']>,
  prefix: string,
  logger: Logger | undefined,
  events: BrokerEvents,
): Promise<Broker> {
  const address = addressOf(server);
  if (!options.tls?.handshakeFirst) await waitForGreeting(address);
  // By default the client expects a certificate for "localhost" when the server is given by an IP address.
  const identity = {
    checkServerIdentity: (_: string, shown: PeerCertificate) => checkServerIdentity(address.host, shown),
  };
  const connection = await connect({
    timeout: connectMs,
    noAsyncTraces: true,
    ...options,
    ...(options.tls && { tls: { ...identity, ...options.tls } }),
    servers: server,
    // BrokerBackplane reconnects.
    reconnect: false,
    noEcho: true,
  });
  connection.closed().then((error) => events.lost(error ?? new Error('The server hung up.')), events.lost);
  void watch(connection, logger);
  return new NatsBroker(connection, prefix, logger, events);
}

interface Address {
  readonly host: string;
  readonly port: number;
}

function addressOf(server: string): Address {
  const { hostname, port } = new URL(/^\w+:\/\//.test(server) ? server : `nats://${server}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 4222) };
}

/** Waits for the server's first bytes on a separate socket: the client would wait for them without a timeout. */
async function waitForGreeting(address: Address): Promise<void> {
  const socket = openSocket(address);
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(connectMs) });
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

async function watch(connection: NatsConnection, logger: Logger | undefined): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'error') logger?.error({ err: status.error }, 'backplane refuses');
  }
}

const inbox = inboxKey('');
const refused = 'Refused';
const maxSubjects = 10_000;

/** Topics and inboxes are subjects; requests use NATS request/reply. `noEcho` excludes the publisher from its own messages. */
class NatsBroker implements Broker {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #logger: Logger | undefined;
  readonly #events: BrokerEvents;
  /** A cache of subjects by key, because encoding a key costs more than sending a message. */
  readonly #subjects = new Map<string, string>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** Rejects pending pings when the connection is closed; the client would leave them pending. */
  readonly #pings = new Set<(reason: Error) => void>();
  #nextFlush: Promise<void> | undefined;
  #isDestroyed = false;

  constructor(connection: NatsConnection, prefix: string, logger: Logger | undefined, events: BrokerEvents) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#logger = logger;
    this.#events = events;
  }

  async subscribe(key: string): Promise<void> {
    const { receive } = this.#events;
    const callback = key.startsWith(inbox)
      ? (error: Error | null, message: Msg) => void (error ?? this.#onRequest(key, message))
      : (error: Error | null, message: Msg) => void (error ?? receive(key, message.data));
    this.#subscriptions.set(key, this.#connection.subscribe(this.#subject(key), { callback }));
    await this.#flushSoon();
  }

  async unsubscribe(key: string): Promise<void> {
    this.#subscriptions.get(key)?.unsubscribe();
    this.#subscriptions.delete(key);
    await this.#flushSoon();
  }

  publish(key: string, data: Uint8Array): void {
    try {
      this.#connection.publish(this.#subject(key), data);
    } catch (err) {
      // The usual cause is a message larger than the server allows.
      this.#logger?.error({ err, bytes: data.length }, 'backplane message lost');
    }
  }

  async request(key: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    let message: Msg;
    try {
      message = await this.#connection.request(this.#subject(key), data, { timeout: timeoutMs });
    } catch (error) {
      throw new Error(this.#isDestroyed || this.#connection.isClosed() ? failure.down : failureOf(error), {
        cause: error,
      });
    }
    if (message.headers?.has(refused)) throw new Error(new TextDecoder().decode(message.data));
    return message.data;
  }

  ping(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#isDestroyed) return Promise.reject(new Error(failure.down));
    this.#pings.add(reject);
    const arrived = () => {
      this.#pings.delete(reject);
      resolve();
    };
    this.#connection.flush().then(arrived, reject);
    return promise;
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#connection.close().catch(() => {});
    for (const reject of this.#pings) reject(new Error(failure.down));
    this.#pings.clear();
  }

  /** One round trip confirms all subscriptions of this microtask. */
  #flushSoon(): Promise<void> {
    this.#nextFlush ??= Promise.resolve().then(() => {
      this.#nextFlush = undefined;
      return this.ping();
    });
    return this.#nextFlush;
  }

  async #onRequest(key: string, message: Msg): Promise<void> {
    try {
      message.respond(await this.#events.answer(key, message.data));
    } catch (error) {
      const head = headers();
      head.set(refused, '1');
      try {
        message.respond(reasonOf(error), { headers: head });
      } catch (err) {
        this.#logger?.debug({ err }, 'backplane reply lost');
      }
    }
  }

  #subject(key: string): string {
    let subject = this.#subjects.get(key);
    if (subject === undefined) {
      subject = `${this.#prefix}.${subjectOf(key)}`;
      if (this.#subjects.size >= maxSubjects) this.#subjects.clear();
      this.#subjects.set(key, subject);
    }
    return subject;
  }
}

/** Encodes a key as a subject, which must be short and has a limited character set. */
function subjectOf(key: string): string {
  const split = key.indexOf(':');
  const name = Buffer.from(key.slice(split + 1));
  const isShort = name.length <= 96;
  const token = isShort ? name.toString('base64url') : createHash('sha256').update(name).digest('base64url');
  return `${key.slice(0, split)}.${isShort ? 't' : 'h'}${token}`;
}

function failureOf(error: unknown): string {
  if (error instanceof TimeoutError) return failure.late;
  const cause = error instanceof RequestError ? error.cause : error;
  // The connection was closed during the request.
  if (cause instanceof RequestError) return failure.down;
  return cause instanceof NoRespondersError ? failure.absent : reasonOf(error);
}
