/**
 * A short message at the edge of the screen. Toasts.tsx shows it. The newest replaces the one before; one that `canWait` comes after one with an
 * action.
 */
export interface Toast {
  key: number;
  kind: 'info' | 'success' | 'warning' | 'error';
  text: string;
  /** Display time, ms. */
  duration: number;
  action?: { label: string; run: () => void };
  /** Pages on which it is shown: the current one by default, also the 'next' one, or 'all'. */
  across?: 'next' | 'all';
}

interface Options extends Partial<Pick<Toast, 'duration' | 'action' | 'across'>> {
  /** It is no answer to what the user does, so that it does not take the place of a question. */
  canWait?: true;
}

let shown: readonly Toast[] = [];
let nextKey = 1;
const listeners = new Set<() => void>();

function raise(kind: Toast['kind'], text: string, { canWait, ...options }: Options = {}): number {
  // The same text is shown once.
  const same = shown.find((other) => other.text === text && !other.action && !options.action);
  if (same) return same.key;
  const key = nextKey++;
  const before = canWait ? shown.filter(({ action }) => action) : [];
  set([...before, { key, kind, text, duration: kind === 'error' ? 8_000 : 5_000, ...options }]);
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
  /** Closes one, if it is still shown. */
  dismiss: (key: number) => keep((other) => other.key !== key),
  /** Closes messages that are no longer true. */
  dismissText: (text: string) => keep((other) => other.text !== text),
  /** A form has errors: closes success messages. */
  dismissSuccess: () => keep(({ kind }) => kind !== 'success'),
  /** Another page has opened: closes messages about the previous one. */
  pageChanged: () =>
    set(
      shown
        .filter(({ across }) => across !== undefined)
        .map(({ across, ...rest }) => (across === 'all' ? { ...rest, across } : rest)),
    ),
};

/** The shown message and the one that waits, if any; for useSyncExternalStore. */
export const toastQueue = {
  get: () => shown,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
