/** What an application hands over may be anything, and its functions may throw. These helpers make that harmless. */

/**
 * The value as a promise, or undefined when there is nothing to wait for. Of an object that only looks like a promise (many query
 * builders do) the result behaves like a real one: it settles once, later, and its errors are rejections.
 */
export function promiseOf<T>(value: T | PromiseLike<T>): Promise<T> | undefined {
  if (value instanceof Promise) return value as Promise<T>;
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    if (typeof (value as { then?: unknown }).then !== 'function') return undefined;
  } catch (error) {
    return Promise.reject(error);
  }
  return Promise.resolve(value);
}

/** Ends an iterator early. What its `return` throws, rejects with or returns is ignored. */
export function closeIterator(iterator: AsyncIterator<unknown> | undefined): void {
  (async () => iterator?.return?.())().catch(() => {});
}

type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };

/**
 * A controller whose listeners cannot end the process: Node raises what a listener of an AbortSignal throws as an uncaught exception.
 * Here it is handed to `report`.
 */
export function guardedAbortController(report: (error: unknown) => void): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const guards = new WeakMap<object, (event: Event) => void>();
  const guardOf = (listener: Listener) => {
    let guard = guards.get(listener);
    if (!guard) {
      guard = (event) => {
        try {
          const outcome = typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event);
          promiseOf(outcome)?.catch(report);
        } catch (error) {
          report(error);
        }
      };
      guards.set(listener, guard);
    }
    return guard;
  };
  const { addEventListener, removeEventListener } = signal;
  const isListener = (value: unknown): value is Listener =>
    typeof value === 'function' || (typeof value === 'object' && value !== null);
  Object.defineProperties(signal, {
    addEventListener: {
      value(type: string, listener: unknown, options?: object) {
        addEventListener.call(signal, type, (isListener(listener) ? guardOf(listener) : listener) as never, options);
      },
    },
    removeEventListener: {
      value(type: string, listener: unknown, options?: object) {
        const own = isListener(listener) ? guards.get(listener) : undefined;
        removeEventListener.call(signal, type, (own ?? listener) as never, options);
      },
    },
  });
  return controller;
}
