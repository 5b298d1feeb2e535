/** Time, given from outside so that tests can move it. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  setInterval(callback: () => void, everyMs: number): unknown;
  clearInterval(handle: unknown): void;
}

/** Structured logging in the order of pino's arguments. Neither tokens nor message arguments are ever passed to it. */
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

/** The part of Standard Schema v1 (standardschema.dev) that is used; zod, valibot and arktype fulfil it. */
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
 * Why a connection ended: the client said goodbye; it fell silent; its line broke; a newer connection has its identity; its token
 * expired or was revoked; the protocol was violated; it reads too slowly; this side closed it; the server shuts down.
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

/** Who is behind a request. `expiresAt` in milliseconds since the epoch (a JWT's `exp` is in seconds). */
export interface Identity<Claims> {
  readonly userId?: string | undefined;
  readonly claims: Claims;
  readonly expiresAt?: number | undefined;
}

type Arguments<Method> = Method extends (...args: infer Args) => unknown ? Args : never;

type Answer<Method> = Method extends (...args: never[]) => infer Value ? Awaited<Value> : never;

/** The client's methods; a call returns to how many connections of this process the message was written. */
export type Remote<Client> = { readonly [Name in keyof Client]: (...args: Arguments<Client[Name]>) => number };

/** One connection: it can also be asked, and answers with what the client's handler returns. */
export type RemoteConnection<Client> = Remote<Client> & {
  /** Rejects with the client's error, when it has no handler, is or goes away, and after `timeoutMs` (default 30,000). */
  invoke<Name extends keyof Client & string>(
    method: Name,
    args: Arguments<Client[Name]>,
    options?: { readonly timeoutMs?: number },
  ): Promise<Answer<Client[Name]>>;
};

/** Whom a message goes to. A connection that a message reaches by two names gets it once. */
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

/** The groups of one connection. They end with it: a client that reconnects joins again. */
export interface OwnGroups {
  /** Throws a `HubError` beyond the limit of the hub (`limits.groups`). */
  add(name: string): Awaitable<void>;
  remove(name: string): Awaitable<void>;
  has(name: string): boolean;
  names(): string[];
}

/** What is kept of the request with which a client connected. */
export interface ConnectRequest {
  /** By lower-case names, as node:http joins them. Without `authorization` and what concerns one line of TCP only. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the client, as `clientAddress` of the server's options says. */
  readonly address: string;
  /** As `query` of the context. */
  readonly query: URLSearchParams;
}

/** What a hub method knows about its caller. It lives as long as the connection. */
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
  /** When the client was last known to be there, ms since the epoch: now, unless its line is broken or it has been silent for too long. */
  readonly lastSeen: number;
  /** Free for the application. */
  readonly items: Map<string, unknown>;
  /** Aborted when the connection has ended; that of a stream also when the client has cancelled it. */
  readonly signal: AbortSignal;
  readonly groups: OwnGroups;
  readonly clients: CallerAudience<Client>;
  /** Ends the connection for good: the client does not reconnect by itself. */
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
  /** Whether the client may come back by itself. Default false. */
  readonly allowReconnect?: boolean | undefined;
  /** What `onDisconnected` is told. Default `closed`. */
  readonly reason?: DisconnectReason | undefined;
}

/** A hub as seen from outside its methods. `connections` and `close` concern the connections of this process. */
export interface HubControl<Client, Claims> extends Audience<Client> {
  connections(): ConnectionSnapshot<Claims>[];
  /** Returns false when the connection is not here (any more). */
  close(connectionId: string, options?: CloseOptions): boolean;
  /**
   * Tells every process that serves the hub, this one included, what the hub's `onBroadcast` understands. The others hear of it as long as the
   * backplane is up. The value has to survive JSON.
   */
  broadcast(value: unknown): void;
  /** Of any process. Resolves to false when the connection, or the answer of its process, is not there. Rejects beyond `limits.groups`. */
  addToGroup(connectionId: string, group: string): Promise<boolean>;
  removeFromGroup(connectionId: string, group: string): Promise<boolean>;
}

/** Carries messages between processes that serve the same hubs. Delivery is at most once. */
export interface Backplane {
  /** While it is down, what is published reaches nobody; whoever is connected here is served on. */
  readonly state: 'up' | 'down';
  /** Attaches one process, under a name that no other process has. */
  connect(instance: string, member: BackplaneMember): BackplaneLink;
  close(): Promise<void>;
}

/** What a process does with what comes from the others. */
export interface BackplaneMember {
  /** What the others publish on topics that this process subscribes to; never its own. */
  receive(topic: string, data: Uint8Array): void;
  /** Answers a request of another process. A rejection is told to the asker as an error. */
  answer(data: Uint8Array): Awaitable<Uint8Array>;
}

export interface BackplaneLink {
  /** True while no other process is attached: messages then need not even be encoded. */
  readonly isSingleNode: boolean;
  /** Topics are any text without line breaks, at most 1,000 characters. Never throws for a line that is down: the message is lost. */
  publish(topic: string, data: Uint8Array): Awaitable<void>;
  /** Holds until `unsubscribe`, also over a line that was down and came back. */
  subscribe(topic: string): Awaitable<void>;
  unsubscribe(topic: string): Awaitable<void>;
  /** Asks one process. Rejects when it is not there, when it refuses, or after `timeoutMs`. */
  request(instance: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  disconnect(): Awaitable<void>;
}
