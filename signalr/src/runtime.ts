import { ConnectionAudience } from './audience.ts';
import { defaultLimits, defaultStatefulReconnect, defaultTimings } from './defaults.ts';
import { Delivery } from './delivery.ts';
import { type ConnectionMeasurement, disconnected } from './diagnostics.ts';
import { withFilteredEvents } from './filters.ts';
import type { AnyContext, AnyDefinition, HubFilter, Limits, StatefulReconnect, Timings } from './hub.ts';
import { type Claim, Identities } from './identities.ts';
import { Samples } from './metrics.ts';
import type { Nodes } from './nodes.ts';
import type { Protocol } from './protocol/messages.ts';
import type { Connection, ConnectionHost } from './session/connection.ts';
import { HubContext } from './session/context.ts';
import type { Counters } from './session/counters.ts';
import { checkLiveness } from './session/liveness.ts';
import { type Method, prepareMethods } from './session/method.ts';
import { Registry } from './session/registry.ts';
import type { PollingTransport } from './session/transport.ts';
import { Topics } from './topics.ts';
import type { Awaitable, BackplaneLink, CallerAudience, Clock, Logger } from './types.ts';

/** One frame or POST may contain many messages, so its limit is larger than that of a message. */
const minPayloadBytes = 1 << 20;

export interface Environment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly backplane: BackplaneLink;
  /** The name of this node on the backplane. */
  readonly instance: string;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly nodes: Nodes;
  /** Surround those of the hub. */
  readonly filters: readonly HubFilter[];
}

/** A running hub: the life of its connections, and the application's functions that belong to it. */
export class HubRuntime implements ConnectionHost {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  readonly maxBytes: number;
  /** The maximum size of one POST or frame, bytes. */
  readonly maxPayload: number;
  readonly timings: Timings;
  readonly statefulReconnect: StatefulReconnect | undefined;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly counters: Counters = {
    invocations: 0,
    failures: 0,
    protocolErrors: 0,
    handshakeTimeouts: 0,
    slow: 0,
    resumed: 0,
    replayed: 0,
    dropped: 0,
  };
  /** Round-trip times to clients, ms. */
  readonly roundTrips = new Samples();
  readonly registry = new Registry();
  /** Sends messages to the connections that have completed the handshake. */
  readonly delivery: Delivery;
  /** Connections that have started a transport, including those in the handshake. */
  readonly #live = new Set<Connection>();
  readonly #identities: Identities;
  /** Called when no connection is left and every `onDisconnected` has run. */
  onIdle: (() => void) | undefined;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #topics: Topics;
  #probing = this.#live.values();
  readonly #disconnecting = new Set<Promise<void>>();

  constructor(definition: AnyDefinition, environment: Environment) {
    const filters = [...environment.filters, ...(definition.filters ?? [])];
    this.definition = withFilteredEvents(definition, filters);
    this.limits = { ...defaultLimits, ...definition.limits };
    this.timings = { ...defaultTimings, ...definition.timings };
    this.clock = environment.clock;
    this.logger = environment.logger;
    this.detailedErrors = environment.detailedErrors;
    this.instance = environment.instance;
    this.protocols = environment.protocols;
    const stateful = definition.statefulReconnect;
    this.statefulReconnect = stateful === false ? undefined : { ...defaultStatefulReconnect, ...stateful };
    this.#methods = prepareMethods(definition, this.limits, filters);
    this.maxBytes = Math.max(this.limits.messageBytes, ...Object.values(this.limits.perMethod));
    this.maxPayload = Math.max(minPayloadBytes, 4 * this.maxBytes);
    const { path } = definition;
    const { limits, protocols } = this;
    this.#topics = new Topics(path, environment.backplane, this.logger);
    this.delivery = new Delivery({ ...environment, path, limits, protocols, topics: this.#topics });
    this.#identities = new Identities(this.clock, (claim) => this.#publish('identity', claim));
    for (const name of ['identity', 'broadcast']) this.#topics.startSubscribing(name);
  }

  method(target: string): Method | undefined {
    return this.#methods.get(target) ?? this.#methods.get(target.toLowerCase());
  }

  contextOf(connection: Connection): AnyContext {
    connection.context ??= new HubContext(connection, this);
    return connection.context;
  }

  streamContextOf(connection: Connection, signal: () => AbortSignal): AnyContext {
    return new HubContext(connection, this, { whole: this.contextOf(connection) as HubContext, signal });
  }

  audienceOf(connection: Connection): CallerAudience<object> {
    return new ConnectionAudience(this.delivery, connection.id);
  }

  /** The connection has started its transport; `tick` checks it from now on. */
  started(connection: Connection): void {
    this.registry.use(connection);
    this.#live.add(connection);
  }

  activated(connection: Connection): void {
    connection.activatedAt = this.clock.now();
    this.delivery.add(connection);
    const identity = this.definition.identity?.(this.contextOf(connection));
    // Converted, because the application's code may ignore the types.
    if (identity !== undefined) this.#identities.claim(connection, String(identity));
  }

  resumed(connection: Connection): void {
    const { onResumed } = this.definition;
    if (!onResumed) return;
    const run = async () => onResumed(this.contextOf(connection));
    run().catch((err) => this.logger.error({ connectionId: connection.id, err }, 'onResumed failed'));
  }

  awaitLastPoll(connection: Connection, transport: PollingTransport): void {
    this.registry.addLastPoll(connection, transport, this.clock.now() + this.timings.pollGapMs);
  }

  ended(connection: Connection): void {
    this.registry.remove(connection);
    this.#live.delete(connection);
    if (this.delivery.remove(connection)) {
      this.#identities.release(connection);
      if (disconnected.hasSubscribers) disconnected.publish(this.#measureEnd(connection));
      if (connection.opened === 'yes') this.runDisconnected(connection);
    }
    if (this.isIdle) this.onIdle?.();
  }

  #measureEnd({ id: connectionId, transport, reason, activatedAt }: Connection): ConnectionMeasurement {
    const durationMs = this.clock.now() - activatedAt;
    return { hub: this.definition.path, connectionId, transport: transport?.name ?? 'WebSockets', reason, durationMs };
  }

  runDisconnected(connection: Connection): void {
    const { onDisconnected } = this.definition;
    if (!onDisconnected) return;
    const run = async () => onDisconnected(this.contextOf(connection), connection.reason);
    const done = run()
      .catch((err) => this.logger.error({ connectionId: connection.id, err }, 'onDisconnected failed'))
      .finally(() => {
        this.#disconnecting.delete(done);
        if (this.isIdle) this.onIdle?.();
      });
    this.#disconnecting.add(done);
  }

  join(connection: Connection, group: string): Awaitable<void> {
    return this.delivery.join(connection, group);
  }

  leave(connection: Connection, group: string): Awaitable<void> {
    return this.delivery.leave(connection, group);
  }

  /** Handles a message that another node has published. `topic` is without the path. */
  receiveRemote(topic: string, data: Uint8Array): void {
    if (topic === 'identity') return this.#identities.onRemoteClaim(parse(data) as Claim);
    if (topic === 'broadcast') return this.#onBroadcast(parse(data));
    this.delivery.deliverRemote(data);
  }

  broadcast(value: unknown): void {
    this.#onBroadcast(value);
    this.#publish('broadcast', value);
  }

  /** Sends a value as JSON to the other nodes. */
  #publish(topic: string, value: unknown): void {
    if (!this.#topics.isSingleNode) this.#topics.publish(topic, Buffer.from(JSON.stringify(value)));
  }

  #onBroadcast(value: unknown): void {
    const run = async () => this.definition.onBroadcast?.(value);
    run().catch((err) => this.logger.error({ err }, 'onBroadcast failed'));
  }

  tick(now: number): void {
    this.registry.expire(now);
    for (const connection of this.#live) this.#check(connection, now);
    // Measures one round trip per second, of each client in turn.
    let next = this.#probing.next();
    if (next.done) {
      this.#probing = this.#live.values();
      next = this.#probing.next();
    }
    if (next.value?.state.kind === 'active') next.value.transport?.probe?.();
  }

  /** Errors of one connection must not prevent the check of the others. */
  #check(connection: Connection, now: number): void {
    try {
      checkLiveness(connection, now);
    } catch (err) {
      this.logger.error({ connectionId: connection.id, err }, 'connection failed');
      connection.dispose('error');
      connection.transport?.destroy();
    }
  }

  /** Connections that have started a transport. */
  live(): Connection[] {
    return [...this.#live];
  }

  get isIdle(): boolean {
    return this.#live.size === 0 && this.#disconnecting.size === 0;
  }

  /** Closes all connections immediately. */
  async close(): Promise<void> {
    this.registry.clear();
    for (const connection of this.#live) {
      connection.end({ allowReconnect: true, reason: 'shutdown' });
      connection.transport?.destroy();
    }
    await Promise.all(this.#disconnecting);
  }
}

function parse(data: Uint8Array): unknown {
  return JSON.parse(Buffer.from(data).toString());
}
