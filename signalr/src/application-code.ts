/** Helpers for values and functions of the application, which may be of any type and may throw. */

/**
 * Returns the value as a promise, or undefined when it is not a thenable. A thenable that is no `Promise` (a query builder, for
 * example) becomes one: it settles once, asynchronously, and its errors are rejections.
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

/** Ends an iterator early. Errors and results of its `return` are ignored. */
export function closeIterator(iterator: AsyncIterator<unknown> | undefined): void {
  (async () => iterator?.return?.())().catch(() => {});
}

type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };

/**
 * Returns a controller whose listeners cannot end the process. Node raises errors of an AbortSignal's listeners as uncaught exceptions;
 * here they are passed to `report`.
 */
export function safeAbortController(report: (error: unknown) => void): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const wrappers = new WeakMap<object, (event: Event) => void>();
  const wrap = (listener: Listener) => {
    let wrapper = wrappers.get(listener);
    if (!wrapper) {
      wrapper = (event) => {
        try {
          const outcome = typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event);
          promiseOf(outcome)?.catch(report);
        } catch (error) {
          report(error);
        }
      };
      wrappers.set(listener, wrapper);
    }
    return wrapper;
  };
  const { addEventListener, removeEventListener } = signal;
  const isListener = (value: unknown): value is Listener =>
    typeof value === 'function' || (typeof value === 'object' && value !== null);
  Object.defineProperties(signal, {
    addEventListener: {
      value(type: string, listener: unknown, options?: object) {
        addEventListener.call(signal, type, (isListener(listener) ? wrap(listener) : listener) as never, options);
      },
    },
    removeEventListener: {
      value(type: string, listener: unknown, options?: object) {
        const own = isListener(listener) ? wrappers.get(listener) : undefined;
        removeEventListener.call(signal, type, (own ?? listener) as never, options);
      },
    },
  });
  return controller;
}
