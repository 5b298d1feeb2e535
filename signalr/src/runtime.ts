import { ConnectionAudience } from './audience.ts';
import { Index } from './groups.ts';
import type { AnyContext, AnyDefinition, Limits, Timings } from './hub.ts';
import type { Message, Protocol } from './protocol/messages.ts';
import { texts } from './protocol/texts.ts';
import type { Address, Sender } from './proxies.ts';
import { HubContext } from './session/context.ts';
import { check } from './session/liveness.ts';
import type { Connection, Method, Owner } from './transport/connection.ts';
import { Registry } from './transport/registry.ts';
import type { Encoded } from './transport/transport.ts';
import type { Awaitable, BackplaneLink, CallerAudience, Clock, Logger } from './types.ts';

const defaultLimits: Limits = {
  messageBytes: 32_768,
  perMethod: {},
  parallel: 1,
  queued: 64,
  bufferedBytes: 1 << 20,
  negotiationsPerUser: 32,
  negotiations: 10_000,
};

const defaultTimings: Timings = {
  keepAliveMs: 15_000,
  clientTimeoutMs: 30_000,
  handshakeMs: 15_000,
  negotiationMs: 15_000,
};

export interface Environment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly backplane: BackplaneLink;
}

/** A running hub: its connections, users, groups and identities, and the way to send to them. */
export class HubRuntime implements Owner, Sender {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  readonly maxBytes: number;
  readonly timings: Timings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly counters = { invocations: 0, failures: 0, protocolErrors: 0, slow: 0 };
  readonly registry = new Registry();
  /** Connections whose handshake is done, by their public id. */
  readonly active = new Map<string, Connection>();
  readonly users = new Index<Connection>();
  readonly groups = new Index<Connection>();
  /** Every connection with a transport, also those in the handshake. */
  readonly #live = new Set<Connection>();
  readonly #identities = new Map<string, Connection>();
  /** Called whenever the last connection has gone and every `onDisconnected` is done. */
  onQuiet: (() => void) | undefined;
  readonly #methods = new Map<string, Method>();
  readonly #backplane: BackplaneLink;
  readonly #farewells = new Set<Promise<void>>();

  constructor(definition: AnyDefinition, environment: Environment) {
    this.definition = definition;
    this.limits = { ...defaultLimits, ...definition.limits };
    this.timings = { ...defaultTimings, ...definition.timings };
    this.clock = environment.clock;
    this.logger = environment.logger;
    this.detailedErrors = environment.detailedErrors;
    this.#backplane = environment.backplane;
    for (const [name, run] of Object.entries(definition.methods)) {
      const inputs = definition.input?.[name];
      const maxBytes = this.limits.perMethod[name] ?? this.limits.messageBytes;
      // Without schemas the method's own parameters count, less the context.
      const method = { name, run, inputs, arity: inputs?.length ?? Math.max(0, run.length - 1), maxBytes };
      this.#methods.set(name, method);
      this.#methods.set(name.toLowerCase(), method);
    }
    this.maxBytes = Math.max(this.limits.messageBytes, ...Object.values(this.limits.perMethod));
    this.#watch(this.#subscribe('all'));
  }

  method(target: string): Method | undefined {
    return this.#methods.get(target) ?? this.#methods.get(target.toLowerCase());
  }

  contextOf(connection: Connection): AnyContext {
    connection.context ??= new HubContext(connection, this);
    return connection.context;
  }

  audienceOf(connection: Connection): CallerAudience<object> {
    return new ConnectionAudience(this, connection.id);
  }

  /** The connection has a transport; from now on `tick` looks after it. */
  started(connection: Connection): void {
    this.registry.use(connection);
    this.#live.add(connection);
  }

  activated(connection: Connection): void {
    this.active.set(connection.id, connection);
    const { userId } = connection.who;
    if (userId !== undefined && this.users.add(userId, connection)) this.#watch(this.#subscribe(`user|${userId}`));
    const identity = this.definition.identity?.(this.contextOf(connection));
    if (identity === undefined) return;
    connection.identity = identity;
    const key = identityKey(connection);
    const older = this.#identities.get(key);
    this.#identities.set(key, connection);
    older?.end({ error: texts.replaced, reason: 'replaced' });
  }

  ended(connection: Connection): void {
    this.registry.remove(connection);
    this.#live.delete(connection);
    if (this.active.delete(connection.id)) this.#forget(connection);
    if (this.quiet) this.onQuiet?.();
  }

  #forget(connection: Connection): void {
    const { userId } = connection.who;
    if (userId !== undefined && this.users.delete(userId, connection)) this.#watch(this.#unsubscribe(`user|${userId}`));
    for (const group of connection.groups ?? []) {
      if (this.groups.delete(group, connection)) this.#watch(this.#unsubscribe(`group|${group}`));
    }
    if (connection.identity !== undefined && this.#identities.get(identityKey(connection)) === connection) {
      this.#identities.delete(identityKey(connection));
    }
    if (connection.opened === 'yes') this.farewell(connection);
  }

  farewell(connection: Connection): void {
    const { onDisconnected } = this.definition;
    if (!onDisconnected) return;
    const run = async () => onDisconnected(this.contextOf(connection), connection.reason);
    const farewell = run()
      .catch((err) => this.logger.error({ connectionId: connection.id, err }, 'onDisconnected failed'))
      .finally(() => {
        this.#farewells.delete(farewell);
        if (this.quiet) this.onQuiet?.();
      });
    this.#farewells.add(farewell);
  }

  join(connection: Connection, group: string): Awaitable<void> {
    if (connection.state === 'disposed') return;
    connection.groups ??= new Set();
    connection.groups.add(group);
    if (this.groups.add(group, connection)) return this.#subscribe(`group|${group}`);
  }

  leave(connection: Connection, group: string): Awaitable<void> {
    connection.groups?.delete(group);
    if (this.groups.delete(group, connection)) return this.#unsubscribe(`group|${group}`);
  }

  send(address: Address, method: string, args: readonly unknown[]): number {
    const count = this.#deliver(address, method, args);
    const { kind, names } = address;
    if (this.#backplane.alone || (kind === 'connection' && count === names.length)) return count;
    // Several names travel as one message, so that the others can keep their receivers apart.
    const topic = (kind === 'user' || kind === 'group') && names.length === 1 ? `${kind}|${names[0]}` : 'all';
    const except = typeof address.except === 'string' ? [address.except] : [...(address.except ?? [])];
    const envelope: Envelope = { kind, names, except, method, args };
    this.#watch(this.#backplane.publish(this.#topic(topic), Buffer.from(JSON.stringify(envelope))));
    return count;
  }

  /** A message that another process has published. */
  receiveRemote(data: Uint8Array): void {
    const { kind, names, except, method, args } = JSON.parse(Buffer.from(data).toString()) as Envelope;
    this.#deliver({ kind, names, except: except.length > 0 ? new Set(except) : undefined }, method, args);
  }

  tick(now: number): void {
    this.registry.expire(now);
    for (const connection of this.#live) check(connection, now);
  }

  /** All connections with a transport. */
  live(): Connection[] {
    return [...this.#live];
  }

  get quiet(): boolean {
    return this.#live.size === 0 && this.#farewells.size === 0;
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    this.registry.clear();
    for (const connection of this.#live) {
      connection.end({ allowReconnect: true, reason: 'shutdown' });
      connection.transport?.destroy();
    }
    await Promise.all(this.#farewells);
  }

  #deliver(address: Address, method: string, args: readonly unknown[]): number {
    const { kind, names, except } = address;
    const broadcast = new Broadcast({ type: 1, target: method, arguments: args });
    const seen = names.length > 1 ? new Set<Connection>() : undefined;
    let count = 0;
    const visit = (connection: Connection) => {
      if (except !== undefined && (typeof except === 'string' ? except === connection.id : except.has(connection.id)))
        return;
      if (seen?.has(connection)) return;
      seen?.add(connection);
      if (!connection.protocol) return;
      connection.send(broadcast.in(connection.protocol));
      count++;
    };
    if (kind === 'all') {
      for (const connection of this.active.values()) visit(connection);
    } else if (kind === 'connection') {
      for (const name of names) {
        const connection = this.active.get(name);
        if (connection) visit(connection);
      }
    } else {
      const index = kind === 'user' ? this.users : this.groups;
      for (const name of names) index.each(name, visit);
    }
    return count;
  }

  #topic(name: string): string {
    return `${this.definition.path}|${name}`;
  }

  #subscribe(name: string): Awaitable<void> {
    return this.#backplane.subscribe(this.#topic(name));
  }

  #unsubscribe(name: string): Awaitable<void> {
    return this.#backplane.unsubscribe(this.#topic(name));
  }

  /** Nobody waits for this work of the backplane; a failure is told to the log. */
  #watch(work: Awaitable<void>): void {
    if (work) work.catch((err) => this.logger.error({ err }, 'backplane failed'));
  }
}

interface Envelope {
  readonly kind: Address['kind'];
  readonly names: readonly string[];
  readonly except: readonly string[];
  readonly method: string;
  readonly args: readonly unknown[];
}

/** A message to many: encoded once per protocol, at the first receiver that speaks it. */
class Broadcast {
  readonly #message: Message;
  #protocol: Protocol | undefined;
  #encoded: Encoded | undefined;
  #others: Map<Protocol, Encoded> | undefined;

  constructor(message: Message) {
    this.#message = message;
  }

  in(protocol: Protocol): Encoded {
    if (this.#encoded && this.#protocol === protocol) return this.#encoded;
    const encoded = this.#others?.get(protocol) ?? { data: protocol.write(this.#message) };
    if (this.#encoded) {
      this.#others ??= new Map();
      this.#others.set(protocol, encoded);
    } else {
      this.#protocol = protocol;
      this.#encoded = encoded;
    }
    return encoded;
  }
}

/** Users cannot take over each other's connections, even when they know the key. */
function identityKey(connection: Connection): string {
  return `${connection.who.userId ?? ''}\n${connection.identity}`;
}
