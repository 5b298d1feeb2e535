import { Broadcast, pack, unpack } from './fan-out.ts';
import { HubError, type Limits } from './hub.ts';
import { MultiMap } from './multi-map.ts';
import type { NodeRequest, Nodes } from './nodes.ts';
import type { Protocol } from './protocol/messages.ts';
import { texts } from './protocol/texts.ts';
import type { Address, Sender } from './proxies.ts';
import type { Connection } from './session/connection.ts';
import { ClientResults } from './session/results.ts';
import type { Topics } from './topics.ts';
import type { Awaitable } from './types.ts';

type Names = readonly string[];

interface DeliveryOptions {
  readonly path: string;
  readonly limits: Limits;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly topics: Topics;
  readonly nodes: Nodes;
  /** The name of this node on the backplane. */
  readonly instance: string;
}

/** Sends messages and client results to the connections of one hub, on this node and on others. */
export class Delivery implements Sender {
  /** Connections that have completed the handshake, by connection id. */
  readonly active = new Map<string, Connection>();
  readonly users = new MultiMap<Connection>();
  readonly groups = new MultiMap<Connection>();
  readonly #path: string;
  readonly #limits: Limits;
  readonly #protocols: ReadonlyMap<string, Protocol>;
  readonly #topics: Topics;
  readonly #nodes: Nodes;

  constructor({ path, limits, protocols, topics, nodes, instance }: DeliveryOptions) {
    this.#path = path;
    this.#limits = limits;
    this.#protocols = protocols;
    this.#topics = topics;
    this.#nodes = nodes;
    for (const name of ['all', `at|${instance}`]) topics.startSubscribing(name);
  }

  /** The connection receives messages from now on. */
  add(connection: Connection): void {
    this.active.set(connection.id, connection);
    const { userId } = connection.user;
    if (userId !== undefined && this.users.add(userId, connection)) this.#topics.startSubscribing(`user|${userId}`);
  }

  /** Returns whether the connection received messages. */
  remove(connection: Connection): boolean {
    if (!this.active.delete(connection.id)) return false;
    const { userId } = connection.user;
    if (userId !== undefined && this.users.delete(userId, connection))
      this.#topics.startUnsubscribing(`user|${userId}`);
    for (const group of connection.groups ?? []) {
      if (this.groups.delete(group, connection)) this.#topics.startUnsubscribing(`group|${group}`);
    }
    return true;
  }

  /** Throws a `HubError` beyond `limits.groups`. */
  join(connection: Connection, group: string): Awaitable<void> {
    if (connection.state.kind === 'disposed') return;
    connection.groups ??= new Set();
    const { groups } = this.#limits;
    if (connection.groups.size >= groups && !connection.groups.has(group))
      throw new HubError(texts.tooManyGroups(groups));
    connection.groups.add(group);
    if (this.groups.add(group, connection)) return this.#topics.subscribe(`group|${group}`);
  }

  leave(connection: Connection, group: string): Awaitable<void> {
    connection.groups?.delete(group);
    if (this.groups.delete(group, connection)) return this.#topics.unsubscribe(`group|${group}`);
  }

  send(address: Address, method: string, args: readonly unknown[]): number {
    const broadcast = new Broadcast(() => ({ type: 1, target: method, arguments: args }));
    const count = this.#deliver(address, broadcast);
    if (this.#topics.isSingleNode) return count;
    for (const topic of this.#topicsOf(address)) this.#topics.publish(topic, pack(address, broadcast, this.#protocols));
    return count;
  }

  /** Sends a message that another node has published to the connections of this node. */
  deliverRemote(data: Uint8Array): void {
    const { address, broadcast } = unpack(data, this.#protocols);
    this.#deliver(address, broadcast);
  }

  /** A message to several names is published once, to all nodes, so that each connection receives it once. */
  #topicsOf({ kind, names }: Address): Names {
    if (kind === 'connection') return this.#instancesOf(names).map((instance) => `at|${instance}`);
    if (kind === 'all' || names.length > 1) return ['all'];
    return names.map((name) => `${kind}|${name}`);
  }

  /** Returns the other nodes that hold these connections, according to the connections' ids. */
  #instancesOf(connectionIds: Names): Names {
    const elsewhere = connectionIds.filter((id) => this.#nodes.isElsewhere(id));
    return [...new Set(elsewhere.map((id) => id.slice(0, id.indexOf('.'))))];
  }

  #deliver({ kind, names, except }: Address, broadcast: Broadcast): number {
    const seen = names.length > 1 ? new Set<Connection>() : undefined;
    let count = 0;
    let failure: { readonly error: unknown } | undefined;
    const visit = (connection: Connection) => {
      const { protocol } = connection;
      if (!protocol || isExcepted(connection.id, except) || seen?.has(connection)) return;
      seen?.add(connection);
      try {
        connection.send(broadcast.in(protocol));
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

  /** Invokes a method of one client and resolves with its result (SPEC.md, R rules). */
  async invokeClient(
    connectionId: string,
    method: string,
    args: readonly unknown[],
    timeoutMs: number,
  ): Promise<unknown> {
    const connection = this.active.get(connectionId);
    if (!connection) {
      const request = { kind: 'invoke', path: this.#path, connectionId, method, args, timeoutMs } as const;
      return this.#nodes.requestConnection(request);
    }
    connection.results ??= new ClientResults();
    return connection.results.invoke(connection, method, args, timeoutMs);
  }

  /** Handles a request of another node for a connection of this node. Throws when this node does not have it. */
  handleNodeRequest(request: Extract<NodeRequest, { connectionId: string }>): unknown {
    const connection = this.active.get(request.connectionId);
    if (!connection) throw new Error(texts.notHere);
    switch (request.kind) {
      case 'invoke':
        return this.invokeClient(request.connectionId, request.method, request.args, request.timeoutMs);
      case 'join':
        return this.join(connection, request.group);
      case 'leave':
        return this.leave(connection, request.group);
    }
  }

  /** Adds a connection of any node to a group, or removes it. Resolves to false when it cannot be reached. */
  async changeGroup(kind: 'join' | 'leave', connectionId: string, group: string): Promise<boolean> {
    const request = { kind, path: this.#path, connectionId, group } as const;
    if (this.active.has(connectionId)) {
      await this.handleNodeRequest(request);
      return true;
    }
    return this.#nodes.requestConnection(request).then(
      () => true,
      () => false,
    );
  }
}

function isExcepted(connectionId: string, except: Address['except']): boolean {
  if (except === undefined) return false;
  return typeof except === 'string' ? except === connectionId : except.has(connectionId);
}
