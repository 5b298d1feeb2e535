import type { Remote, RemoteConnection } from './types.ts';

/** The receivers of a message. */
export interface Address {
  readonly kind: 'all' | 'user' | 'group' | 'connection';
  /** Names of users, groups or connections; empty for all. */
  readonly names: readonly string[];
  readonly except: string | ReadonlySet<string> | undefined;
}

export interface Sender {
  /** Returns the number of connections of this node to which the message was written. */
  send(address: Address, method: string, args: readonly unknown[]): number;
  /** Invokes a method of one client and resolves with its result. */
  invokeClient(connectionId: string, method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown>;
}

/** The default timeout of a client result, ms. */
const resultTimeoutMs = 30_000;
/** A symbol, because a string could be the name of a client's method. */
const invokeClient = Symbol('invokeClient');

/**
 * Receivers whose methods send messages: `remote.Notify(x)` sends `Notify` with `[x]`. The proxy behind the prototype handles the
 * first use of a name and defines a real method, so that later calls are plain calls.
 */
class RemoteProxy {
  readonly #sender: Sender;
  readonly #address: Address;

  constructor(sender: Sender, address: Address) {
    this.#sender = sender;
    this.#address = address;
  }

  [invokeClient](method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    return this.#sender.invokeClient(this.#address.names[0] ?? '', method, args, timeoutMs);
  }

  /** Sends to a method of any name. */
  send(method: string, args: readonly unknown[]): number {
    return this.#sender.send(this.#address, method, args);
  }

  static define(name: string): unknown {
    const method = function (this: RemoteProxy, ...args: unknown[]): number {
      return this.#sender.send(this.#address, name, args);
    };
    Object.defineProperty(RemoteProxy.prototype, name, { value: method });
    return method;
  }
}

Object.setPrototypeOf(
  RemoteProxy.prototype,
  new Proxy(Object.prototype, {
    get(base, name) {
      // `then` would make a receiver look like a promise.
      if (typeof name === 'symbol' || name === 'then' || name in base) return Reflect.get(base, name);
      return RemoteProxy.define(name);
    },
  }),
);

class RemoteConnectionProxy extends RemoteProxy {
  invoke(method: string, args: readonly unknown[], { timeoutMs = resultTimeoutMs }: { timeoutMs?: number } = {}) {
    return this[invokeClient](method, args, timeoutMs);
  }
}

/** Returns the receiver for one connection, with `invoke` for client results. */
export function remoteConnection(sender: Sender, connectionId: string): RemoteConnection<object> {
  const address: Address = { kind: 'connection', names: [connectionId], except: undefined };
  return new RemoteConnectionProxy(sender, address) as object as RemoteConnection<object>;
}

export function remote(sender: Sender, address: Address): Remote<object> {
  return new RemoteProxy(sender, address);
}
