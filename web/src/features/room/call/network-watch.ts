/** network: this device has another network, or one again; visible: the page is shown again, and timers run as usual. */
export type PageEvent = 'network' | 'visible' | 'hidden';

/** Chrome's NetworkInformation; `type` is known on phones only. */
interface ConnectionInfo extends EventTarget {
  readonly type?: string;
}

/** What the browser says about the page and its network; returns a function that stops listening. */
export function watchPage(listener: (event: PageEvent) => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  addEventListener('online', () => listener('network'), { signal });
  document.addEventListener(
    'visibilitychange',
    () => listener(document.visibilityState === 'visible' ? 'visible' : 'hidden'),
    { signal },
  );
  const { connection } = navigator as Navigator & { connection?: ConnectionInfo };
  let type = connection?.type;
  connection?.addEventListener(
    'change',
    () => {
      // The event is also fired for every change of the estimated bandwidth.
      if (connection.type === type) return;
      type = connection.type;
      if (type !== 'none') listener('network');
    },
    { signal },
  );
  return () => stop.abort();
}
