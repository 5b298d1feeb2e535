type Args<Method> = Method extends (...args: infer Values) => unknown ? Values : never;
type Result<Method> = Method extends (...args: never[]) => infer Value ? Awaited<Value> : never;
type HandlerResult<Method> = Method extends (...args: never[]) => infer Value ? Value | Promise<Awaited<Value>> : never;

/** A stream of the SignalR client: an `IStreamResult` that it receives, or a `Subject` that it sends. */
export interface Subscribable<Item> {
  subscribe(observer: {
    next(item: Item): void;
    complete(): void;
    // oxlint-disable-next-line typescript/no-explicit-any -- As the client declares it.
    error(error: any): void;
  }): { dispose(): void };
}

/** The hub reads streams as `AsyncIterable`; the client sends them as `Subject`. */
type Sent<Values extends readonly unknown[]> = {
  [Index in keyof Values]: Values[Index] extends AsyncIterable<infer Item> ? Subscribable<Item> : Values[Index];
};
type Item<Method> = Result<Method> extends AsyncIterable<infer Value> ? Value : never;

/** The part of the SignalR client's connection that gets types. */
export interface UntypedConnection {
  invoke<T>(name: string, ...args: unknown[]): Promise<T>;
  send(name: string, ...args: unknown[]): Promise<void>;
  stream<T>(name: string, ...args: unknown[]): Subscribable<T>;
  on(name: string, handler: (...args: never[]) => unknown): void;
  off(name: string, handler?: (...args: never[]) => unknown): void;
}

export type TypedConnection<Server, Client, Connection extends UntypedConnection> = Omit<
  Connection,
  'invoke' | 'send' | 'stream' | 'on' | 'off'
> & {
  invoke<Name extends keyof Server & string>(
    name: Name,
    ...args: Sent<Args<Server[Name]>>
  ): Promise<Result<Server[Name]>>;
  send<Name extends keyof Server & string>(name: Name, ...args: Sent<Args<Server[Name]>>): Promise<void>;
  stream<Name extends keyof Server & string>(
    name: Name,
    ...args: Sent<Args<Server[Name]>>
  ): Subscribable<Item<Server[Name]>>;
  /** The handler's return value is the client result when the server uses `invoke`. */
  on<Name extends keyof Client & string>(
    name: Name,
    handler: (...args: Args<Client[Name]>) => HandlerResult<Client[Name]> | void,
  ): void;
  off<Name extends keyof Client & string>(
    name: Name,
    handler?: (...args: Args<Client[Name]>) => HandlerResult<Client[Name]> | void,
  ): void;
};

/** Returns the same connection with the names and types of a hub's two interfaces. Does nothing at run time. */
export function typed<
  Server extends object,
  Client extends object,
  Connection extends UntypedConnection = UntypedConnection,
>(connection: Connection): TypedConnection<Server, Client, Connection> {
  return connection as Connection & object as TypedConnection<Server, Client, Connection>;
}
