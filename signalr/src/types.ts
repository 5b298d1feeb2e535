/** The time, in milliseconds since the epoch; tests pass their own clock. */
export interface Clock {
  now(): number;
  setInterval(callback: () => void, everyMs: number): unknown;
  clearInterval(handle: unknown): void;
}

/** Structured logging, with pino's order of arguments. It never receives tokens or message arguments. */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface SchemaIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** The part of Standard Schema v1 (standardschema.dev) that is used; zod, valibot and arktype implement it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type Awaitable<T> = T | Promise<T>;
export type TransportName = 'WebSockets' | 'ServerSentEvents' | 'LongPolling';

/**
 * Why a connection ended: the client stopped it; the client timed out; the transport was lost; a newer connection has the same
 * identity; the token expired; the protocol was violated or `onConnected` failed; the client reads too slowly; the application
 * closed it; the server shuts down.
 */
export type DisconnectReason =
  | 'client-stop'
  | 'timeout'
  | 'lost'
  | 'replaced'
  | 'auth'
  | 'error'
  | 'slow'
  | 'closed'
  | 'shutdown';

/** The authenticated sender of a request. `expiresAt` is in milliseconds since the epoch (a JWT's `exp` is in seconds). */
export interface Identity<Claims> {
  readonly userId?: string | undefined;
  readonly claims: Claims;
  readonly expiresAt?: number | undefined;
}

type Arguments<Method> = Method extends (...args: infer Args) => unknown ? Args : never;

type ClientResult<Method> = Method extends (...args: never[]) => infer Value ? Awaited<Value> : never;

/** Sends to a method of the client by its name. */
interface SendByName {
  /**
   * Sends to a method with any name, such as `then` or `constructor`, or a computed one. Names and arguments are not typed. Returns the
   * number of connections of this node to which the message was written.
   */
  send(method: string, args: readonly unknown[]): number;
}
/** Names that every receiver has in JavaScript; a receiver that had `then` would look like a promise. */
type Reserved = keyof SendByName | keyof typeof Object.prototype | 'then';

type Typed<Client, Own> = {
  readonly [Name in Exclude<keyof Client, Own>]: (...args: Arguments<Client[Name]>) => number;
};

/**
 * The client's methods. A call returns the number of connections of this node to which the message was written. Methods whose names
 * the receiver itself has are called with `send`.
 */
export type Remote<Client> = Typed<Client, Reserved> & SendByName;

/** One connection. `invoke` also returns the result of the client's handler. */
export type RemoteConnection<Client> = Typed<Client, Reserved | 'invoke'> &
  SendByName & {
    /** Rejects with the client's error, when the client has no handler or disconnects, and after `timeoutMs` (default 30,000). */
    invoke<Name extends keyof Client & string>(
      method: Name,
      args: Arguments<Client[Name]>,
      options?: { readonly timeoutMs?: number },
    ): Promise<ClientResult<Client[Name]>>;
  };

/** The receivers of a message. A connection that is addressed by several names receives it once. */
export interface Audience<Client> {
  readonly all: Remote<Client>;
  except(connectionIds: Iterable<string>): Remote<Client>;
  user(userId: string): Remote<Client>;
  users(userIds: Iterable<string>): Remote<Client>;
  group(name: string): Remote<Client>;
  groups(names: Iterable<string>): Remote<Client>;
  groupExcept(name: string, connectionIds: Iterable<string>): Remote<Client>;
  connection(connectionId: string): RemoteConnection<Client>;
}

/** The audience as seen from one connection. */
export interface CallerAudience<Client> extends Audience<Client> {
  readonly caller: RemoteConnection<Client>;
  readonly others: Remote<Client>;
  othersIn(group: string): Remote<Client>;
}

/** The groups of one connection. They end with the connection: a client that reconnects joins again. */
export interface OwnGroups {
  /** Throws a `HubError` beyond the hub's `limits.groups`. */
  add(name: string): Awaitable<void>;
  remove(name: string): Awaitable<void>;
  has(name: string): boolean;
  names(): string[];
}

/** The request with which a client connected. */
export interface ConnectRequest {
  /** By lower-case names, as node:http joins them; without `authorization` and hop-by-hop headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's address, as the server option `clientAddress` returns it. */
  readonly address: string;
  /** The same as `query` of the context. */
  readonly query: URLSearchParams;
}

/** The caller of a hub method. The same object serves the connection until its end. */
export interface Context<Client, Claims> {
  readonly connectionId: string;
  readonly userId: string | undefined;
  readonly claims: Claims;
  /** The query of the connecting request, without `id` and `access_token`. */
  readonly query: URLSearchParams;
  /** The request with which the client connected: for long polling the first poll, never a later one. */
  readonly request: ConnectRequest;
  readonly transport: TransportName;
  readonly protocol: string;
  /** When the client was last known to be connected, ms since the epoch: now, unless its transport is lost or it has timed out. */
  readonly lastSeen: number;
  /** Free for the application. */
  readonly items: Map<string, unknown>;
  /** Aborted when the connection ends; in a streaming method also when the client cancels the stream. */
  readonly signal: AbortSignal;
  readonly groups: OwnGroups;
  readonly clients: CallerAudience<Client>;
  /** Closes the connection; the client does not reconnect automatically. */
  abort(): void;
}

export interface ConnectionSnapshot<Claims> {
  readonly connectionId: string;
  readonly userId: string | undefined;
  readonly claims: Claims;
  readonly identity: string | undefined;
  readonly transport: TransportName;
  readonly connectedAt: number;
  readonly groups: readonly string[];
}

export interface CloseOptions {
  /** Shown to the client as `Server returned an error on close: …`. */
  readonly error?: string | undefined;
  /** Whether the client may reconnect automatically. Default false. */
  readonly allowReconnect?: boolean | undefined;
  /** The reason passed to `onDisconnected`. Default `closed`. */
  readonly reason?: DisconnectReason | undefined;
}

/** A hub as used outside its methods. `connections` and `close` concern the connections of this node. */
export interface HubControl<Client, Claims> extends Audience<Client> {
  connections(): ConnectionSnapshot<Claims>[];
  /** Returns false when this node has no such connection. */
  close(connectionId: string, options?: CloseOptions): boolean;
  /**
   * Runs the hub's `onBroadcast` with this value on every node, this one included. Other nodes receive it only while the backplane
   * is up. The value must be JSON.
   */
  broadcast(value: unknown): void;
  /** For a connection of any node. Resolves to false when it does not exist or its node does not respond. Rejects beyond `limits.groups`. */
  addToGroup(connectionId: string, group: string): Promise<boolean>;
  removeFromGroup(connectionId: string, group: string): Promise<boolean>;
}

/** Carries messages between nodes that serve the same hubs. Delivery is at most once. */
export interface Backplane {
  /** While it is `down`, published messages are lost; connections of this node are still served. */
  readonly state: 'up' | 'down';
  /** Attaches one node under a name that no other node has. */
  connect(instance: string, member: BackplaneMember): BackplaneLink;
  close(): Promise<void>;
}

/** How a node handles what other nodes send. */
export interface BackplaneMember {
  /** Called for messages that other nodes publish on subscribed topics; never for the node's own messages. */
  receive(topic: string, data: Uint8Array): void;
  /** Returns the response to a request of another node. A rejection reaches the requesting node as an error. */
  answer(data: Uint8Array): Awaitable<Uint8Array>;
}

export interface BackplaneLink {
  /** True while no other node is attached: messages then need not be encoded. */
  readonly isSingleNode: boolean;
  /** A topic is any text without line breaks, of at most 1,000 characters. Does not throw while the backplane is down: the message is lost. */
  publish(topic: string, data: Uint8Array): Awaitable<void>;
  /** The subscription lasts until `unsubscribe`, also across reconnects. */
  subscribe(topic: string): Awaitable<void>;
  unsubscribe(topic: string): Awaitable<void>;
  /** Sends a request to one node. Rejects when the node is not attached, when it rejects the request, and after `timeoutMs`. */
  request(instance: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  disconnect(): Awaitable<void>;
}
