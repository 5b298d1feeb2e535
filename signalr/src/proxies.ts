import type { RemoteConnection } from './types.ts';

/** Whom a message goes to. */
export interface Address {
  readonly kind: 'all' | 'user' | 'group' | 'connection';
  /** Of users, groups or connections; empty for all. */
  readonly names: readonly string[];
  readonly except: string | ReadonlySet<string> | undefined;
}

export interface Sender {
  /** Returns to how many connections of this process the message was written. */
  send(address: Address, method: string, args: readonly unknown[]): number;
  /** Asks one client and waits for its answer. */
  ask(connectionId: string, method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown>;
}

/** How long a client may take to answer, unless said otherwise, ms. */
const answerMs = 30_000;
/** Not a name that a client's method could have. */
const askIt = Symbol('ask');

/**
 * Receivers whose every method is a message: `remote.Notify(x)` sends Notify with [x]. A name that is used for the first time is
 * caught by the proxy behind the prototype and becomes a real method, so that later calls are plain ones.
 */
class RemoteProxy {
  readonly #sender: Sender;
  readonly #address: Address;

  constructor(sender: Sender, address: Address) {
    this.#sender = sender;
    this.#address = address;
  }

  [askIt](method: string, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    return this.#sender.ask(this.#address.names[0] ?? '', method, args, timeoutMs);
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
  invoke(method: string, args: readonly unknown[], { timeoutMs = answerMs }: { timeoutMs?: number } = {}) {
    return this[askIt](method, args, timeoutMs);
  }
}

/** One connection, which can also be asked. */
export function remoteConnection(sender: Sender, connectionId: string): RemoteConnection<object> {
  const address: Address = { kind: 'connection', names: [connectionId], except: undefined };
  return new RemoteConnectionProxy(sender, address) as object as RemoteConnection<object>;
}

export function remote(sender: Sender, address: Address): object {
  return new RemoteProxy(sender, address);
}
