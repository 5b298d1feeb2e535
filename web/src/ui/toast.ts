/** The short message at the edge of the screen: the newest takes the place of the one before. Toasts.tsx shows it. */
export interface Toast {
  key: number;
  kind: 'info' | 'success' | 'warning' | 'error';
  text: string;
  /** ms on screen. */
  duration: number;
  action?: { label: string; run: () => void };
  /** Pages on which it still stands: the one it is raised on, also the 'next' one that it announces, or 'all'. */
  across?: 'next' | 'all';
}

type Options = Partial<Pick<Toast, 'duration' | 'action' | 'across'>>;

let shown: readonly Toast[] = [];
let nextKey = 1;
const listeners = new Set<() => void>();

function raise(kind: Toast['kind'], text: string, options: Options = {}): number {
  // The same words while they stand are one message.
  const same = shown.find((other) => other.text === text && !other.action && !options.action);
  if (same) return same.key;
  const key = nextKey++;
  set([{ key, kind, text, duration: kind === 'error' ? 8_000 : 5_000, ...options }]);
  return key;
}

function set(next: readonly Toast[]): void {
  shown = next;
  for (const listener of [...listeners]) listener();
}

const keep = (stays: (toast: Toast) => boolean) => set(shown.filter(stays));

export const toast = {
  info: (text: string, options?: Options) => raise('info', text, options),
  success: (text: string, options?: Options) => raise('success', text, options),
  warning: (text: string, options?: Options) => raise('warning', text, options),
  error: (text: string, options?: Options) => raise('error', text, options),
  /** Takes one away, if it still stands. */
  dismiss: (key: number) => keep((other) => other.key !== key),
  /** Takes away what is not true any more. */
  dismissText: (text: string) => keep((other) => other.text !== text),
  /** A form has errors: no success beside them. */
  dismissSuccess: () => keep(({ kind }) => kind !== 'success'),
  /** Another page is open: what was about the one before goes. */
  pageChanged: () =>
    set(
      shown
        .filter(({ across }) => across !== undefined)
        .map(({ across, ...rest }) => (across === 'all' ? { ...rest, across } : rest)),
    ),
};

/** The message on screen, if any; for useSyncExternalStore. */
export const toastQueue = {
  get: () => shown,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
