import type { IncomingMessage } from 'node:http';
import type { AnyRun, Streaming, Uploading } from './method-kinds.ts';
import type { Awaitable, Context, DisconnectReason, Identity, StandardSchema, TransportName } from './types.ts';

/** An error whose message the client may read: `…on the server. HubException: <message>`. Other errors stay on the server. */
export class HubError extends Error {
  override readonly name = 'HubError';
}

/** Sizes in bytes, counts otherwise. */
export interface Limits {
  /** One message from a client. Default 32,768. */
  readonly messageBytes: number;
  /** Other limits for single methods, larger or smaller. */
  readonly perMethod: Readonly<Record<string, number>>;
  /** Methods of one connection that may run at the same time. Default 1: in the order of arrival. */
  readonly parallel: number;
  /** Invocations that wait for their turn before the connection is no longer read. Default 64. */
  readonly queued: number;
  /** Unsent bytes after which a client counts as too slow and is closed; so does one that takes nothing for `sendMs`. Default 1 MiB. */
  readonly bufferedBytes: number;
  /** Streams in either direction that one connection may have open. Default 64. */
  readonly streams: number;
  /** Groups of one connection. Joining more throws a `HubError`. Default 1,000. */
  readonly groups: number;
  /** Calls of one connection a second, on average; a second's worth may come together. More are refused. Default: no limit. */
  readonly callsPerSecond: number;
  /** Unused negotiations of one user (or address, without a user); the oldest makes room. Default: those of the hub. */
  readonly negotiationsPerUser: number;
  /** Unused negotiations of the hub. Beyond, the oldest of the user or address with the greatest number makes room. Default 10,000. */
  readonly negotiations: number;
}

/** Milliseconds; checked once a second. */
export interface Timings {
  /** Silence towards a client after which it gets a ping. Default 15,000. */
  readonly keepAliveMs: number;
  /** Silence of a client after which it is closed. Default 30,000. */
  readonly clientTimeoutMs: number;
  /** From the transport's start to a complete handshake. Default 15,000. */
  readonly handshakeMs: number;
  /** From negotiation to the transport's start. Default 15,000. */
  readonly negotiationMs: number;
  /** A client that takes nothing of what is sent is closed. Default 10,000. */
  readonly sendMs: number;
  /** How long the body of a POST may take to arrive, once it is read. Default 30,000. */
  readonly postMs: number;
  /** Long polling: how long a poll is held when there is nothing to send. Default 90,000; clients give up after 100,000. */
  readonly pollMs: number;
  /** Long polling: the time between two polls after which the client counts as gone. Default 15,000. */
  readonly pollGapMs: number;
}

/** A broken WebSocket is not the end of its connection: the client comes back to it, and nothing is lost. */
export interface StatefulReconnect {
  /** Sent bytes that are kept until they are acknowledged; streams then wait, and at four times as much the client is closed. Default 100,000. */
  readonly bufferBytes: number;
  /** How long a client may be away. Default 15,000. */
  readonly holdMs: number;
}

type Args<Method> = Method extends (...args: infer Values) => unknown ? Values : never;
type Result<Method> = Method extends (...args: never[]) => infer Value ? Awaited<Value> : never;
type Run<Client, Claims, Method, Value> = (ctx: Context<Client, Claims>, ...args: Args<Method>) => Awaitable<Value>;
type HasUploads<Values extends readonly unknown[]> =
  Extract<Values[number], AsyncIterable<unknown>> extends never ? false : true;
/** Whether each call has the same number of arguments, as the protocol wants it. */
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
 * One implementation per method of `Server`: those that return an AsyncIterable by `stream`, those that take one by `upload`. Methods
 * have a fixed number of parameters: a call with another number is refused, as in ASP.NET Core.
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

/** One Standard Schema per argument, uploads not counted. The method gets what the schema returns. */
export type Inputs<Server> = {
  readonly [Name in keyof Server]?: Schemas<Plain<Args<Server[Name]>>>;
};

export interface AuthenticationRequest {
  /** From `Authorization: Bearer`, else from the query's `access_token`. */
  readonly token: string | undefined;
  readonly request: IncomingMessage;
}

export interface HubDefinition<Server, Client, Claims> {
  /** The path of the endpoint, such as `/chat`. Negotiation is at `<path>/negotiate`. */
  readonly path: string;
  /** Called for every request; null is answered with 401. Without it everybody may connect. */
  readonly authenticate?: (request: AuthenticationRequest) => Awaitable<Identity<Claims> | null>;
  /** A key of which each user has at most one connection: a newer one closes the older, reason `replaced`. */
  readonly identity?: (ctx: Context<Client, Claims>) => string | undefined;
  /** Whether the caller may invoke the method; the arguments are not known yet. */
  readonly authorize?: (ctx: Context<Client, Claims>, method: keyof Server & string) => Awaitable<boolean>;
  /** Close with `allowReconnect` once the token has expired, so that the client comes back with a fresh one. */
  readonly closeOnAuthExpiration?: boolean;
  readonly input?: Inputs<Server>;
  readonly methods: Methods<Server, Client, Claims>;
  /** Runs before the first method. When it throws, the connection is closed for good and `onDisconnected` is not called. */
  readonly onConnected?: (ctx: Context<Client, Claims>) => Awaitable<void>;
  /** Runs when a client is back on a connection whose line had broken; nothing was lost, and no other event tells of it. */
  readonly onResumed?: (ctx: Context<Client, Claims>) => Awaitable<void>;
  /** Runs once for every connection whose `onConnected` has succeeded. */
  readonly onDisconnected?: (ctx: Context<Client, Claims>, reason: DisconnectReason) => Awaitable<void>;
  /** What the hub was told by `tell`, here or in another process. */
  readonly onBroadcast?: (value: unknown) => Awaitable<void>;
  /** The oldest version of negotiation that is still served. Default 0. */
  readonly minNegotiateVersion?: 0 | 1;
  /** What clients may use, in general or for one request (a proxy may be bad at one). Default: all three. */
  readonly transports?: readonly TransportName[] | ((request: IncomingMessage) => readonly TransportName[]);
  /** Sends a client to negotiate elsewhere. With an `accessToken` it uses that one from then on, and stops asking for its own. */
  readonly redirect?: (request: AuthenticationRequest) => Awaitable<Redirect | undefined>;
  /** False: never. Clients have to ask for it as well. */
  readonly statefulReconnect?: Partial<StatefulReconnect> | false;
  readonly limits?: Partial<Limits>;
  readonly timings?: Partial<Timings>;
}

export interface Redirect {
  /** Absolute; its query is kept. */
  readonly url: string;
  readonly accessToken?: string;
}

/** A hub as a value: hand it to `createHubServer` and address it with `hubs.of(hub)`. */
export interface Hub<Server, Client, Claims> {
  readonly path: string;
  readonly definition: AnyDefinition;
  /** Carries the types only. */
  readonly '~types'?: { readonly server: Server; readonly client: Client; readonly claims: Claims };
}

export type AnyContext = Context<object, unknown>;
export type AnyDefinition = Omit<HubDefinition<object, object, unknown>, 'methods' | 'input' | 'authorize'> & {
  readonly authorize?: (ctx: AnyContext, method: string) => Awaitable<boolean>;
  readonly input?: Readonly<Record<string, readonly StandardSchema[] | undefined>>;
  readonly methods: Readonly<Record<string, AnyRun | Streaming | Uploading>>;
};

/**
 * Describes a hub. `Server` and `Client` are interfaces of plain methods which the client's code shares.
 * Throws when the path or a limit makes no sense.
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
  // The protocol knows names and values only; the types above hold at the border.
  return { path: definition.path, definition: definition as unknown as AnyDefinition };
}
