import { promiseOf } from './application-code.ts';
import { ConnectionAudience } from './audience.ts';
import { defaultLimits, defaultStatefulReconnect, defaultTimings } from './defaults.ts';
import { Broadcast, pack, unpack } from './fan-out.ts';
import {
  type AnyContext,
  type AnyDefinition,
  HubError,
  type Limits,
  type StatefulReconnect,
  type Timings,
} from './hub.ts';
import { type Claim, Identities } from './identities.ts';
import { Samples } from './metrics.ts';
import { MultiMap } from './multi-map.ts';
import { type NodeRequest, type Nodes } from './nodes.ts';
import type { Protocol } from './protocol/messages.ts';
import { texts } from './protocol/texts.ts';
import type { Address, Sender } from './proxies.ts';
import type { Connection, ConnectionHost } from './session/connection.ts';
import { HubContext } from './session/context.ts';
import type { Counters } from './session/counters.ts';
import { checkLiveness } from './session/liveness.ts';
import { type Method, prepareMethods } from './session/method.ts';
import { Registry } from './session/registry.ts';
import { ClientResults } from './session/results.ts';
import type { PollingTransport } from './session/transport.ts';
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
}

/** A running hub: its connections, users, groups and identities; sends messages to them. */
export class HubRuntime implements ConnectionHost, Sender {
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
  /** Connections that have completed the handshake, by connection id. */
  readonly active = new Map<string, Connection>();
  readonly users = new MultiMap<Connection>();
  readonly groups = new MultiMap<Connection>();
  /** Connections that have started a transport, including those in the handshake. */
  readonly #live = new Set<Connection>();
  readonly #identities: Identities;
  /** Called when no connection is left and every `onDisconnected` has run. */
  onIdle: (() => void) | undefined;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #backplane: BackplaneLink;
  readonly #nodes: Nodes;
  #probing = this.#live.values();
  readonly #disconnecting = new Set<Promise<void>>();

  constructor(definition: AnyDefinition, environment: Environment) {
    this.definition = definition;
    this.limits = { ...defaultLimits, ...definition.limits };
    this.timings = { ...defaultTimings, ...definition.timings };
    this.clock = environment.clock;
    this.logger = environment.logger;
    this.detailedErrors = environment.detailedErrors;
    this.#backplane = environment.backplane;
    this.#nodes = environment.nodes;
    this.instance = environment.instance;
    this.protocols = environment.protocols;
    const stateful = definition.statefulReconnect;
    this.statefulReconnect = stateful === false ? undefined : { ...defaultStatefulReconnect, ...stateful };
    this.#identities = new Identities(this.clock, (claim) => {
      if (this.#backplane.isSingleNode) return;
      this.#publish('identity', Buffer.from(JSON.stringify(claim)));
    });
    this.#methods = prepareMethods(definition, this.limits);
    this.maxBytes = Math.max(this.limits.messageBytes, ...Object.values(this.limits.perMethod));
    this.maxPayload = Math.max(minPayloadBytes, 4 * this.maxBytes);
    for (const name of ['all', 'identity', 'broadcast', `at|${this.instance}`]) this.#logFailure(this.#subscribe(name));
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
    return new ConnectionAudience(this, connection.id);
  }

  /** The connection has started its transport; `tick` checks it from now on. */
  started(connection: Connection): void {
    this.registry.use(connection);
    this.#live.add(connection);
  }

  activated(connection: Connection): void {
    connection.activatedAt = this.clock.now();
    this.active.set(connection.id, connection);
    const { userId } = connection.user;
    if (userId !== undefined && this.users.add(userId, connection)) this.#logFailure(this.#subscribe(`user|${userId}`));
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
    if (this.active.delete(connection.id)) this.#forget(connection);
    if (this.isIdle) this.onIdle?.();
  }

  #forget(connection: Connection): void {
    const { userId } = connection.user;
    if (userId !== undefined && this.users.delete(userId, connection))
      this.#logFailure(this.#unsubscribe(`user|${userId}`));
    for (const group of connection.groups ?? []) {
      if (this.groups.delete(group, connection)) this.#logFailure(this.#unsubscribe(`group|${group}`));
    }
    this.#identities.release(connection);
    if (connection.opened === 'yes') this.runDisconnected(connection);
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
    if (connection.state.kind === 'disposed') return;
    connection.groups ??= new Set();
    const { groups } = this.limits;
    if (connection.groups.size >= groups && !connection.groups.has(group))
      throw new HubError(texts.tooManyGroups(groups));
    connection.groups.add(group);
    if (this.groups.add(group, connection)) return this.#subscribe(`group|${group}`);
  }

  leave(connection: Connection, group: string): Awaitable<void> {
    connection.groups?.delete(group);
    if (this.groups.delete(group, connection)) return this.#unsubscribe(`group|${group}`);
  }

  send(address: Address, method: string, args: readonly unknown[]): number {
    const broadcast = new Broadcast(() => ({ type: 1, target: method, arguments: args }));
    const count = this.#deliver(address, broadcast);
    if (this.#backplane.isSingleNode) return count;
    for (const topic of this.#topicsOf(address)) this.#publish(topic, pack(address, broadcast, this.protocols));
    return count;
  }

  /** A message to several names is published once, to all nodes, so that each connection receives it once. */
  #topicsOf({ kind, names }: Address): string[] {
    if (kind === 'connection') {
      const elsewhere = names.filter((id) => this.#nodes.isElsewhere(id));
      return [...new Set(elsewhere.map((id) => `at|${id.slice(0, id.indexOf('.'))}`))];
    }
    return kind !== 'all' && names.length === 1
      ? [`${kind}|${names[0]}`]
      : names.length === 0 && kind !== 'all'
        ? []
        : ['all'];
  }

  /** Invokes a method of one client and resolves with its result (SPEC.md, R rules). */
  async invokeClient(
    connectionId: string,
    method: string,
    args: readonly unknown[],
    timeoutMs: number,
  ): Promise<unknown> {
    const connection = this.active.get(connectionId);
    if (!connection) {
      const { path } = this.definition;
      return this.#nodes.requestConnection({ kind: 'invoke', path, connectionId, method, args, timeoutMs });
    }
    connection.results ??= new ClientResults();
    return connection.results.invoke(connection, method, args, timeoutMs);
  }

  /** Handles a message that another node has published. `topic` is without the path. */
  receiveRemote(topic: string, data: Uint8Array): void {
    if (topic === 'identity') return this.#identities.onRemoteClaim(JSON.parse(Buffer.from(data).toString()) as Claim);
    if (topic === 'broadcast') return this.#onBroadcast(JSON.parse(Buffer.from(data).toString()));
    const { address, broadcast } = unpack(data, this.protocols);
    this.#deliver(address, broadcast);
  }

  broadcast(value: unknown): void {
    this.#onBroadcast(value);
    if (this.#backplane.isSingleNode) return;
    this.#publish('broadcast', Buffer.from(JSON.stringify(value)));
  }

  #onBroadcast(value: unknown): void {
    const run = async () => this.definition.onBroadcast?.(value);
    run().catch((err) => this.logger.error({ err }, 'onBroadcast failed'));
  }

  /** Handles a request of another node for a connection of this node. */
  handleNodeRequest(request: Extract<NodeRequest, { connectionId: string }>): unknown {
    const connection = this.active.get(request.connectionId);
    if (!connection) throw new Error(texts.notHere);
    if (request.kind === 'invoke') {
      return this.invokeClient(request.connectionId, request.method, request.args, request.timeoutMs);
    }
    return request.kind === 'join' ? this.join(connection, request.group) : this.leave(connection, request.group);
  }

  /** Adds a connection of any node to a group, or removes it. Resolves to false when it cannot be reached. */
  async changeGroup(kind: 'join' | 'leave', connectionId: string, group: string): Promise<boolean> {
    const request = { kind, path: this.definition.path, connectionId, group } as const;
    if (this.active.has(connectionId)) {
      await this.handleNodeRequest(request);
      return true;
    }
    return this.#nodes.requestConnection(request).then(
      () => true,
      () => false,
    );
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

  #deliver({ kind, names, except }: Address, broadcast: Broadcast): number {
    const seen = names.length > 1 ? new Set<Connection>() : undefined;
    let count = 0;
    let failure: { readonly error: unknown } | undefined;
    const visit = (connection: Connection) => {
      if (except !== undefined && (typeof except === 'string' ? except === connection.id : except.has(connection.id)))
        return;
      if (seen?.has(connection)) return;
      seen?.add(connection);
      if (!connection.protocol) return;
      try {
        connection.send(broadcast.in(connection.protocol));
        count++;
      } catch (error) {
        // The message may be encodable in the other protocols.
        failure ??= { error };
      }
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
    if (failure) throw failure.error;
    return count;
  }

  #topic(name: string): string {
    return `${this.definition.path}|${name}`;
  }

  #publish(name: string, data: Uint8Array): void {
    try {
      this.#logFailure(this.#backplane.publish(this.#topic(name), data));
    } catch (err) {
      this.#backplaneFailed(err);
    }
  }

  #subscribe(name: string): Awaitable<void> {
    return this.#promiseOf(() => this.#backplane.subscribe(this.#topic(name)));
  }

  #unsubscribe(name: string): Awaitable<void> {
    return this.#promiseOf(() => this.#backplane.unsubscribe(this.#topic(name)));
  }

  /** Returns the backplane's work as a promise, or undefined when it is done. Errors become rejections. */
  #promiseOf(work: () => Awaitable<void>): Promise<void> | undefined {
    try {
      return promiseOf(work());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Logs the failure of backplane work that is not awaited. */
  #logFailure(work: Awaitable<void>): void {
    promiseOf(work)?.catch(this.#backplaneFailed);
  }

  readonly #backplaneFailed = (err: unknown): void => this.logger.error({ err }, 'backplane failed');
}
