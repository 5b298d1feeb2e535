import type { IncomingMessage } from 'node:http';
import type { AnyRun, Streaming, Uploading } from './method-kinds.ts';
import type { Awaitable, Context, DisconnectReason, Identity, StandardSchema, TransportName } from './types.ts';

/** An error whose message is sent to the client: `…on the server. HubException: <message>`. Messages of other errors are not sent. */
export class HubError extends Error {
  override readonly name = 'HubError';
}

/** Sizes in bytes, counts otherwise. */
export interface Limits {
  /** One message from a client. Default 32,768. */
  readonly messageBytes: number;
  /** Limits for single methods, larger or smaller. */
  readonly perMethod: Readonly<Record<string, number>>;
  /** Methods of one connection that may run at the same time. Default 1: in order of arrival. */
  readonly parallel: number;
  /** Queued invocations at which reading from the connection pauses. Default 64. */
  readonly queued: number;
  /** Unsent bytes at which a client is closed as too slow; `timings.sendMs` is the other limit. Default 1 MiB. */
  readonly bufferedBytes: number;
  /** Streams in either direction that one connection may have open. Default 64. */
  readonly streams: number;
  /** Groups of one connection. Joining more throws a `HubError`. Default 1,000. */
  readonly groups: number;
  /** Calls of one connection per second on average; the burst is one second's worth. More are refused. Default: no limit. */
  readonly callsPerSecond: number;
  /** Unused negotiations of one user (or address, without a user); beyond it the oldest is dropped. Default: the hub's limit. */
  readonly negotiationsPerUser: number;
  /** Unused negotiations of the hub; beyond it the oldest of the user or address with the most is dropped. Default 10,000. */
  readonly negotiations: number;
}

/** Timeouts and intervals in milliseconds; checked once a second. */
export interface Timings {
  /** Time without a message to the client after which a ping is sent. Default 15,000. */
  readonly keepAliveMs: number;
  /** Time without a message from the client after which it is closed. Default 30,000. */
  readonly clientTimeoutMs: number;
  /** From the start of the transport to the complete handshake. Default 15,000. */
  readonly handshakeMs: number;
  /** From negotiation to the start of the transport. Default 15,000. */
  readonly negotiationMs: number;
  /** Time without progress in sending after which a client is closed. Default 10,000. */
  readonly sendMs: number;
  /** The maximum time for reading the body of a POST. Default 30,000. */
  readonly postMs: number;
  /** Long polling: how long a poll is held while there is nothing to send. Default 90,000; clients time out after 100,000. */
  readonly pollMs: number;
  /** Long polling: the time without a poll after which the client counts as disconnected. Default 15,000. */
  readonly pollGapMs: number;
}

/** Stateful reconnect: after a lost WebSocket the client resumes its connection without losing messages. */
export interface StatefulReconnect {
  /** Unacknowledged bytes at which streams wait; at four times as many the client is closed. Default 100,000. */
  readonly bufferBytes: number;
  /** The grace period for reconnecting. Default 15,000. */
  readonly holdMs: number;
}

type Args<Method> = Method extends (...args: infer Values) => unknown ? Values : never;
type Result<Method> = Method extends (...args: never[]) => infer Value ? Awaited<Value> : never;
type Run<Client, Claims, Method, Value> = (ctx: Context<Client, Claims>, ...args: Args<Method>) => Awaitable<Value>;
type HasUploads<Values extends readonly unknown[]> =
  Extract<Values[number], AsyncIterable<unknown>> extends never ? false : true;
/** Whether each call has the same number of arguments, as the protocol requires. */
type IsFixed<Values extends readonly unknown[]> = number extends Values['length']
  ? false
  : [Values] extends [Required<Values>]
    ? true
    : false;
type Implementation<Client, Claims, Method> =
  IsFixed<Args<Method>> extends true
    ? FixedImplementation<Client, Claims, Method>
    : 'Optional and rest parameters cannot be called: make it a required one, with `| null` where it may be absent.';
type FixedImplementation<Client, Claims, Method> =
  Result<Method> extends AsyncIterable<infer Item>
    ? Streaming<Run<Client, Claims, Method, AsyncIterable<Item>>>
    : HasUploads<Args<Method>> extends true
      ? Uploading<Run<Client, Claims, Method, Result<Method>>>
      : Run<Client, Claims, Method, Result<Method>>;

/**
 * One implementation per method of `Server`: `stream` for those that return an AsyncIterable, `upload` for those that take one.
 * Methods have a fixed number of parameters: a call with another number is refused, as in ASP.NET Core.
 */
export type Methods<Server, Client, Claims> = {
  readonly [Name in keyof Server]: Implementation<Client, Claims, Server[Name]>;
};

type Plain<Values extends readonly unknown[]> = Values extends readonly [infer First, ...infer Rest]
  ? First extends AsyncIterable<unknown>
    ? []
    : [First, ...Plain<Rest>]
  : Values extends readonly []
    ? []
    : Values;
type Schemas<Values extends readonly unknown[]> = { readonly [Index in keyof Values]: StandardSchema<Values[Index]> };

/** One Standard Schema per argument, not counting uploads. The method receives the schema's output. */
export type Inputs<Server> = {
  readonly [Name in keyof Server]?: Schemas<Plain<Args<Server[Name]>>>;
};

export interface AuthenticationRequest {
  /** From `Authorization: Bearer`, otherwise from the query's `access_token`. */
  readonly token: string | undefined;
  readonly request: IncomingMessage;
}

/** A call of a hub method, as filters see it. */
export interface HubInvocation<Client = object, Claims = unknown> {
  /** In a streaming method the stream's context. */
  readonly ctx: Context<Client, Claims>;
  /** The method's name as the hub defines it. */
  readonly method: string;
  /** The validated arguments, followed by the streams from the client. */
  readonly args: readonly unknown[];
}

/**
 * Code around the methods and events of a hub, for logs, spans or translations of errors, like `IHubFilter` of ASP.NET Core. Methods are
 * filtered after authorization and validation. What a filter throws is handled like an error of what it surrounds.
 */
export interface HubFilter<Client = object, Claims = unknown> {
  /**
   * Surrounds a method. `next` runs the next filter or the method, with other arguments if they are given, and resolves with its
   * result: of a streaming method its AsyncIterable. Returns the call's result. Without calling `next` the method does not run.
   */
  invoke?(
    invocation: HubInvocation<Client, Claims>,
    next: (args?: readonly unknown[]) => Promise<unknown>,
  ): Awaitable<unknown>;
  /** Surrounds `onConnected`, also of a hub without one. */
  onConnected?(ctx: Context<Client, Claims>, next: () => Promise<void>): Awaitable<void>;
  /** Surrounds `onDisconnected`, also of a hub without one. */
  onDisconnected?(ctx: Context<Client, Claims>, reason: DisconnectReason, next: () => Promise<void>): Awaitable<void>;
}

export interface HubDefinition<Server, Client, Claims> {
  /** The path of the endpoint, such as `/chat`. Negotiation is at `<path>/negotiate`. */
  readonly path: string;
  /** Called for every request; null leads to 401. Without it every client may connect. */
  readonly authenticate?: (request: AuthenticationRequest) => Awaitable<Identity<Claims> | null>;
  /** Each user has at most one connection per key: a newer connection closes the older one, reason `replaced`. */
  readonly identity?: (ctx: Context<Client, Claims>) => string | undefined;
  /** Whether the caller may invoke the method. Runs before the arguments are validated. */
  readonly authorize?: (ctx: Context<Client, Claims>, method: keyof Server & string) => Awaitable<boolean>;
  /** Closes connections with `allowReconnect` when their token expires, so that the client reconnects with a new token. */
  readonly closeOnAuthExpiration?: boolean;
  readonly input?: Inputs<Server>;
  readonly methods: Methods<Server, Client, Claims>;
  /** Surround methods and events; the first is the outermost. Those of `createHubServer` surround these. */
  readonly filters?: readonly HubFilter<Client, Claims>[];
  /** Runs before the first method. When it throws, the connection is closed without reconnect and `onDisconnected` is not called. */
  readonly onConnected?: (ctx: Context<Client, Claims>) => Awaitable<void>;
  /** Runs when a client has resumed its connection by stateful reconnect. `onConnected` does not run again. */
  readonly onResumed?: (ctx: Context<Client, Claims>) => Awaitable<void>;
  /** Runs once for every connection whose `onConnected` has succeeded. */
  readonly onDisconnected?: (ctx: Context<Client, Claims>, reason: DisconnectReason) => Awaitable<void>;
  /** Runs for each value passed to `broadcast`, on this node or another one. */
  readonly onBroadcast?: (value: unknown) => Awaitable<void>;
  /** The minimum negotiate version. Default 0. */
  readonly minNegotiateVersion?: 0 | 1;
  /** The transports offered to all clients, or to one request (its proxy may not support all). Default: all three. */
  readonly transports?: readonly TransportName[] | ((request: IncomingMessage) => readonly TransportName[]);
  /** Redirects a client to another server. With an `accessToken` the client uses it and no longer calls its `accessTokenFactory`. */
  readonly redirect?: (request: AuthenticationRequest) => Awaitable<Redirect | undefined>;
  /** False disables it. Clients must also request it. */
  readonly statefulReconnect?: Partial<StatefulReconnect> | false;
  readonly limits?: Partial<Limits>;
  readonly timings?: Partial<Timings>;
}

export interface Redirect {
  /** An absolute URL; its query is kept. */
  readonly url: string;
  readonly accessToken?: string;
}

/** A hub definition: pass it to `createHubServer`, and get its connections with `hubs.of(hub)`. */
export interface Hub<Server, Client, Claims> {
  readonly path: string;
  readonly definition: AnyDefinition;
  /** For types only; always undefined. */
  readonly '~types'?: { readonly server: Server; readonly client: Client; readonly claims: Claims };
}

export type AnyContext = Context<object, unknown>;
export type AnyDefinition = Omit<HubDefinition<object, object, unknown>, 'methods' | 'input' | 'authorize'> & {
  readonly authorize?: (ctx: AnyContext, method: string) => Awaitable<boolean>;
  readonly input?: Readonly<Record<string, readonly StandardSchema[] | undefined>>;
  readonly methods: Readonly<Record<string, AnyRun | Streaming | Uploading>>;
};

/**
 * Defines a hub. `Server` and `Client` are interfaces of plain methods, shared with the client's code.
 * Throws a `TypeError` when the path, a method name or a limit is invalid.
 */
export function hub<Server extends object, Client extends object, Claims = unknown>(
  definition: HubDefinition<Server, Client, Claims>,
): Hub<Server, Client, Claims> {
  if (!/^\/[^?#|]*[^?#|/]$/.test(definition.path)) throw new TypeError(`Not a path for a hub: ${definition.path}`);
  const names = Object.keys(definition.methods);
  const taken = new Set(names.map((name) => name.toLowerCase()));
  if (taken.size !== names.length) throw new TypeError('Method names must differ in more than their case.');
  for (const name of [...Object.keys(definition.input ?? {}), ...Object.keys(definition.limits?.perMethod ?? {})]) {
    if (!Object.hasOwn(definition.methods, name)) throw new TypeError(`There is no method ${name}.`);
  }
  for (const [name, method] of Object.entries<unknown>(definition.methods)) {
    const isGenerator = Object.prototype.toString.call(method) === '[object AsyncGeneratorFunction]';
    if (isGenerator) throw new TypeError(`${name} yields a stream: wrap it in stream().`);
  }
  const { perMethod = {}, ...limits } = definition.limits ?? {};
  const numbers = { ...limits, ...perMethod, ...definition.timings, ...(definition.statefulReconnect || undefined) };
  for (const [name, value] of Object.entries(numbers)) {
    if (!(typeof value === 'number' && value > 0)) throw new TypeError(`${name} must be a number above 0.`);
  }
  // At run time there are only names and values; the types above check the application's code.
  return { path: definition.path, definition: definition as unknown as AnyDefinition };
}
