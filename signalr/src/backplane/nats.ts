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
import { guarded } from '../logging.ts';
import type { Backplane, Logger } from '../types.ts';
import { Remote } from './remote.ts';
import { failure, reasonOf } from './requests.ts';
import { type Ears, inboxKey, type RemoteOptions, type Wire } from './wire.ts';

export interface NatsOptions extends RemoteOptions {
  /** `host[:port]` of one or several servers of a cluster. */
  readonly servers: string | readonly string[];
  /** Before all subjects, for several applications on one server. Default `signalr`. */
  readonly prefix?: string | undefined;
  /** Credentials, TLS and the like. */
  readonly connection?: Omit<NodeConnectionOptions, 'servers' | 'reconnect' | 'noEcho'> | undefined;
}

/** Joins processes through the subjects of a NATS server (core). It connects in the background, and again for ever. */
export function nats({ servers, prefix = 'signalr', connection = {}, ...rest }: NatsOptions): Backplane {
  const options = { ...rest, logger: rest.logger && guarded(rest.logger) };
  if (!/^[\w-]+(\.[\w-]+)*$/.test(prefix)) throw new TypeError('The prefix of NATS is words, joined by dots.');
  const list = typeof servers === 'string' ? [servers] : [...servers];
  let turn = 0;
  const next = () => list[turn++ % list.length] ?? '127.0.0.1';
  return new Remote((ears) => dial(next(), connection, prefix, options.logger, ears), options);
}

const connectMs = 2000;

async function dial(
  server: string,
  options: NonNullable<NatsOptions['connection']>,
  prefix: string,
  logger: Logger | undefined,
  ears: Ears,
): Promise<Wire> {
  const address = addressOf(server);
  if (!options.tls?.handshakeFirst) await greeted(address);
  // Left to itself the client expects the certificate of "localhost" of a server that is known by its address.
  const identity = {
    checkServerIdentity: (_: string, shown: PeerCertificate) => checkServerIdentity(address.host, shown),
  };
  const connection = await connect({
    timeout: connectMs,
    noAsyncTraces: true,
    ...options,
    ...(options.tls && { tls: { ...identity, ...options.tls } }),
    servers: server,
    // One connection is one line: what comes after it is not its business.
    reconnect: false,
    noEcho: true,
  });
  connection.closed().then((error) => ears.lost(error ?? new Error('The server hung up.')), ears.lost);
  void watch(connection, logger);
  return new NatsWire(connection, prefix, logger, ears);
}

interface Address {
  readonly host: string;
  readonly port: number;
}

function addressOf(server: string): Address {
  const { hostname, port } = new URL(/^\w+:\/\//.test(server) ? server : `nats://${server}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 4222) };
}

/** The client never lets go of a connection on which the server does not greet, so this is tried without it. */
async function greeted(address: Address): Promise<void> {
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

/** Topics and instances as subjects; requests are the server's own. The server keeps a wire's messages from coming back to it. */
class NatsWire implements Wire {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #logger: Logger | undefined;
  readonly #ears: Ears;
  /** Those used lately: a message is sent sooner than its topic is encoded. */
  readonly #subjects = new Map<string, string>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** Round trips under way. The client forgets them when it closes. */
  readonly #trips = new Set<(reason: Error) => void>();
  #nextTrip: Promise<void> | undefined;
  #isCut = false;

  constructor(connection: NatsConnection, prefix: string, logger: Logger | undefined, ears: Ears) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#logger = logger;
    this.#ears = ears;
  }

  async subscribe(key: string): Promise<void> {
    const { receive } = this.#ears;
    const callback = key.startsWith(inbox)
      ? (error: Error | null, message: Msg) => void (error ?? this.#question(key, message))
      : (error: Error | null, message: Msg) => void (error ?? receive(key, message.data));
    this.#subscriptions.set(key, this.#connection.subscribe(this.#subject(key), { callback }));
    await this.#tripSoon();
  }

  async unsubscribe(key: string): Promise<void> {
    this.#subscriptions.get(key)?.unsubscribe();
    this.#subscriptions.delete(key);
    await this.#tripSoon();
  }

  publish(key: string, data: Uint8Array): void {
    try {
      this.#connection.publish(this.#subject(key), data);
    } catch (err) {
      // Most likely it is larger than the server allows.
      this.#logger?.error({ err, bytes: data.length }, 'backplane message lost');
    }
  }

  async request(key: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    let message: Msg;
    try {
      message = await this.#connection.request(this.#subject(key), data, { timeout: timeoutMs });
    } catch (error) {
      throw new Error(this.#isCut || this.#connection.isClosed() ? failure.down : told(error), { cause: error });
    }
    if (message.headers?.has(refused)) throw new Error(new TextDecoder().decode(message.data));
    return message.data;
  }

  ping(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#isCut) return Promise.reject(new Error(failure.down));
    this.#trips.add(reject);
    const arrived = () => {
      this.#trips.delete(reject);
      resolve();
    };
    this.#connection.flush().then(arrived, reject);
    return promise;
  }

  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#connection.close().catch(() => {});
    for (const reject of this.#trips) reject(new Error(failure.down));
    this.#trips.clear();
  }

  /** One round trip for all the subscriptions of this turn. */
  #tripSoon(): Promise<void> {
    this.#nextTrip ??= Promise.resolve().then(() => {
      this.#nextTrip = undefined;
      return this.ping();
    });
    return this.#nextTrip;
  }

  async #question(key: string, message: Msg): Promise<void> {
    try {
      message.respond(await this.#ears.answer(key, message.data));
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

/** Topics are any text, subjects are not: they have few characters and must be short. */
function subjectOf(key: string): string {
  const split = key.indexOf(':');
  const name = Buffer.from(key.slice(split + 1));
  const isShort = name.length <= 96;
  const token = isShort ? name.toString('base64url') : createHash('sha256').update(name).digest('base64url');
  return `${key.slice(0, split)}.${isShort ? 't' : 'h'}${token}`;
}

function told(error: unknown): string {
  if (error instanceof TimeoutError) return failure.late;
  const cause = error instanceof RequestError ? error.cause : error;
  // The connection closed under it.
  if (cause instanceof RequestError) return failure.down;
  return cause instanceof NoRespondersError ? failure.absent : reasonOf(error);
}
