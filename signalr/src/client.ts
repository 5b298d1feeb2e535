type Args<Method> = Method extends (...args: infer Values) => unknown ? Values : never;
type Result<Method> = Method extends (...args: never[]) => infer Value ? Awaited<Value> : never;

/** The part of a SignalR client's connection that gets types. */
export interface UntypedConnection {
  invoke<T>(name: string, ...args: unknown[]): Promise<T>;
  send(name: string, ...args: unknown[]): Promise<void>;
  on(name: string, handler: (...args: never[]) => unknown): void;
  off(name: string, handler?: (...args: never[]) => unknown): void;
}

export type TypedConnection<Server, Client, Connection extends UntypedConnection> = Omit<
  Connection,
  'invoke' | 'send' | 'on' | 'off'
> & {
  invoke<Name extends keyof Server & string>(name: Name, ...args: Args<Server[Name]>): Promise<Result<Server[Name]>>;
  send<Name extends keyof Server & string>(name: Name, ...args: Args<Server[Name]>): Promise<void>;
  on<Name extends keyof Client & string>(name: Name, handler: (...args: Args<Client[Name]>) => void): void;
  off<Name extends keyof Client & string>(name: Name, handler?: (...args: Args<Client[Name]>) => void): void;
};

/** The same connection, with the names and types of a hub's two interfaces. Does nothing at run time. */
export function typed<
  Server extends object,
  Client extends object,
  Connection extends UntypedConnection = UntypedConnection,
>(connection: Connection): TypedConnection<Server, Client, Connection> {
  return connection as Connection & object as TypedConnection<Server, Client, Connection>;
}
