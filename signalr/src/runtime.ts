import { promiseOf } from './application-code.ts';
import { ConnectionAudience } from './audience.ts';
import { defaultLimits, defaultStatefulReconnect, defaultTimings } from './defaults.ts';
import { Broadcast, pack, unpack } from './fan-out.ts';
import { Index } from './groups.ts';
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
import { type NodeRequest, type Nodes } from './nodes.ts';
import type { Protocol } from './protocol/messages.ts';
import { texts } from './protocol/texts.ts';
import type { Address, Sender } from './proxies.ts';
import type { Connection, ConnectionHost } from './session/connection.ts';
import { HubContext } from './session/context.ts';
import type { Counters } from './session/counters.ts';
import { check } from './session/liveness.ts';
import { type Method, prepareMethods } from './session/method.ts';
import { Registry } from './session/registry.ts';
import { Results } from './session/results.ts';
import type { PollingTransport } from './session/transport.ts';
import type { Awaitable, BackplaneLink, CallerAudience, Clock, Logger } from './types.ts';

/** One frame or POST may hold many messages, so it may be far larger than a message. */
const minPayloadBytes = 1 << 20;
export interface Environment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly backplane: BackplaneLink;
  /** The name of this process among those on the backplane. */
  readonly instance: string;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly peers: Nodes;
}

/** A running hub: its connections, users, groups and identities, and the way to send to them. */
export class HubRuntime implements ConnectionHost, Sender {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  readonly maxBytes: number;
  /** The most that one POST or frame may hold, bytes. */
  readonly maxPayload: number;
  readonly timings: Timings;
  readonly statefulReconnect: StatefulReconnect | undefined;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly counters: Counters = {
    ...{ invocations: 0, failures: 0, protocolErrors: 0, handshakeTimeouts: 0 },
    ...{ slow: 0, resumed: 0, replayed: 0, dropped: 0 },
  };
  /** Round trips to clients, ms. */
  readonly roundTrips = new Samples();
  readonly registry = new Registry();
  /** Connections whose handshake is done, by their public id. */
  readonly active = new Map<string, Connection>();
  readonly users = new Index<Connection>();
  readonly groups = new Index<Connection>();
  /** Every connection with a transport, also those in the handshake. */
  readonly #live = new Set<Connection>();
  readonly #identities: Identities;
  /** Called whenever the last connection has gone and every `onDisconnected` is done. */
  onIdle: (() => void) | undefined;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #backplane: BackplaneLink;
  readonly #peers: Nodes;
  #probed = this.#live.values();
  readonly #disconnecting = new Set<Promise<void>>();

  constructor(definition: AnyDefinition, environment: Environment) {
    this.definition = definition;
    this.limits = { ...defaultLimits, ...definition.limits };
    this.timings = { ...defaultTimings, ...definition.timings };
    this.clock = environment.clock;
    this.logger = environment.logger;
    this.detailedErrors = environment.detailedErrors;
    this.#backplane = environment.backplane;
    this.#peers = environment.peers;
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
    for (const name of ['all', 'identity', 'told', `at|${this.instance}`]) this.#watch(this.#subscribe(name));
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

  /** The connection has a transport; from now on `tick` looks after it. */
  started(connection: Connection): void {
    this.registry.use(connection);
    this.#live.add(connection);
  }

  activated(connection: Connection): void {
    connection.activatedAt = this.clock.now();
    this.active.set(connection.id, connection);
    const { userId } = connection.who;
    if (userId !== undefined && this.users.add(userId, connection)) this.#watch(this.#subscribe(`user|${userId}`));
    const identity = this.definition.identity?.(this.contextOf(connection));
    // A name in any case, also where the types were not kept.
    if (identity !== undefined) this.#identities.take(connection, String(identity));
  }

  resumed(connection: Connection): void {
    const { onResumed } = this.definition;
    if (!onResumed) return;
    const run = async () => onResumed(this.contextOf(connection));
    run().catch((err) => this.logger.error({ connectionId: connection.id, err }, 'onResumed failed'));
  }

  leaving(connection: Connection, transport: PollingTransport): void {
    this.registry.leave(connection, transport, this.clock.now() + this.timings.pollGapMs);
  }

  ended(connection: Connection): void {
    this.registry.remove(connection);
    this.#live.delete(connection);
    if (this.active.delete(connection.id)) this.#forget(connection);
    if (this.isIdle) this.onIdle?.();
  }

  #forget(connection: Connection): void {
    const { userId } = connection.who;
    if (userId !== undefined && this.users.delete(userId, connection)) this.#watch(this.#unsubscribe(`user|${userId}`));
    for (const group of connection.groups ?? []) {
      if (this.groups.delete(group, connection)) this.#watch(this.#unsubscribe(`group|${group}`));
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
    if (connection.state === 'disposed') return;
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

  /** Several names travel as one message to everybody, so that the others can keep their receivers apart. */
  #topicsOf({ kind, names }: Address): string[] {
    if (kind === 'connection') {
      const elsewhere = names.filter((id) => this.#peers.isElsewhere(id));
      return [...new Set(elsewhere.map((id) => `at|${id.slice(0, id.indexOf('.'))}`))];
    }
    return kind !== 'all' && names.length === 1
      ? [`${kind}|${names[0]}`]
      : names.length === 0 && kind !== 'all'
        ? []
        : ['all'];
  }

  /** Asks a client and waits for what its handler returns (SPEC.md, R rules). */
  async ask(connectionId: string, method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    const connection = this.active.get(connectionId);
    if (!connection) {
      const { path } = this.definition;
      return this.#peers.ofConnection({ ask: 'invoke', path, connectionId, method, args, timeoutMs });
    }
    connection.results ??= new Results();
    return connection.results.ask(connection, method, args, timeoutMs);
  }

  /** A message that another process has published; `topic` without the path. */
  receiveRemote(topic: string, data: Uint8Array): void {
    if (topic === 'identity') return this.#identities.claimed(JSON.parse(Buffer.from(data).toString()) as Claim);
    if (topic === 'told') return this.#received(JSON.parse(Buffer.from(data).toString()));
    const { address, broadcast } = unpack(data, this.protocols);
    this.#deliver(address, broadcast);
  }

  broadcast(value: unknown): void {
    this.#received(value);
    if (this.#backplane.isSingleNode) return;
    this.#publish('told', Buffer.from(JSON.stringify(value)));
  }

  #received(value: unknown): void {
    const run = async () => this.definition.onBroadcast?.(value);
    run().catch((err) => this.logger.error({ err }, 'onBroadcast failed'));
  }

  /** A question of another process about a connection that should be here. */
  answer(question: Extract<NodeRequest, { connectionId: string }>): unknown {
    const connection = this.active.get(question.connectionId);
    if (!connection) throw new Error(texts.notHere);
    if (question.ask === 'invoke') {
      return this.ask(question.connectionId, question.method, question.args, question.timeoutMs);
    }
    return question.ask === 'join' ? this.join(connection, question.group) : this.leave(connection, question.group);
  }

  /** Lets a connection of any process join or leave a group; false when it cannot be reached. */
  async changeGroup(ask: 'join' | 'leave', connectionId: string, group: string): Promise<boolean> {
    const question = { ask, path: this.definition.path, connectionId, group } as const;
    if (this.active.has(connectionId)) {
      await this.answer(question);
      return true;
    }
    return this.#peers.ofConnection(question).then(
      () => true,
      () => false,
    );
  }

  tick(now: number): void {
    this.registry.expire(now);
    for (const connection of this.#live) this.#check(connection, now);
    // One round trip a second is measured, of each client in turn.
    let next = this.#probed.next();
    if (next.done) {
      this.#probed = this.#live.values();
      next = this.#probed.next();
    }
    if (next.value?.state === 'active') next.value.transport?.probe?.();
  }

  /** What goes wrong with one connection must not keep the others from being looked after. */
  #check(connection: Connection, now: number): void {
    try {
      check(connection, now);
    } catch (err) {
      this.logger.error({ connectionId: connection.id, err }, 'connection failed');
      connection.dispose('error');
      connection.transport?.destroy();
    }
  }

  /** All connections with a transport. */
  live(): Connection[] {
    return [...this.#live];
  }

  get isIdle(): boolean {
    return this.#live.size === 0 && this.#disconnecting.size === 0;
  }

  /** Ends everything at once. */
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
        // Of one protocol; the others may manage.
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
      this.#watch(this.#backplane.publish(this.#topic(name), data));
    } catch (err) {
      this.#backplaneFailed(err);
    }
  }

  #subscribe(name: string): Awaitable<void> {
    return this.#settled(() => this.#backplane.subscribe(this.#topic(name)));
  }

  #unsubscribe(name: string): Awaitable<void> {
    return this.#settled(() => this.#backplane.unsubscribe(this.#topic(name)));
  }

  /** The work of the backplane as a promise, if there is one to wait for; what it throws is a rejection. */
  #settled(work: () => Awaitable<void>): Promise<void> | undefined {
    try {
      return promiseOf(work());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Work of the backplane that is not waited for; a failure goes to the log. */
  #watch(work: Awaitable<void>): void {
    promiseOf(work)?.catch(this.#backplaneFailed);
  }

  readonly #backplaneFailed = (err: unknown): void => this.logger.error({ err }, 'backplane failed');
}
