/** Short messages at the edge of the screen, one after another; anything may raise one. Toasts.tsx shows them. */
export interface Toast {
  key: number;
  kind: 'info' | 'success' | 'warning' | 'error';
  text: string;
  /** ms on screen. */
  duration: number;
  action?: { label: string; run: () => void };
}

type Options = Partial<Pick<Toast, 'duration' | 'action'>>;

let queue: readonly Toast[] = [];
let nextKey = 1;
const listeners = new Set<() => void>();

function raise(kind: Toast['kind'], text: string, options: Options = {}): number {
  // The same words are not said twice while they wait or stand.
  const same = queue.find((other) => other.text === text);
  if (same) return same.key;
  const key = nextKey++;
  set([...queue, { key, kind, text, duration: kind === 'error' ? 8_000 : 5_000, ...options }]);
  return key;
}

function set(next: readonly Toast[]): void {
  queue = next;
  for (const listener of [...listeners]) listener();
}

export const toast = {
  info: (text: string, options?: Options) => raise('info', text, options),
  success: (text: string, options?: Options) => raise('success', text, options),
  warning: (text: string, options?: Options) => raise('warning', text, options),
  error: (text: string, options?: Options) => raise('error', text, options),
  /** Takes one away, shown or waiting. */
  dismiss: (key: number) => set(queue.filter((other) => other.key !== key)),
};

/** The queue, the one on screen first; for useSyncExternalStore. */
export const toastQueue = {
  get: () => queue,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
