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
}

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

export function remote(sender: Sender, address: Address): object {
  return new RemoteProxy(sender, address);
}
