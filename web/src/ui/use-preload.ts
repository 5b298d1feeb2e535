import { useEffect } from 'react';

/** Delay that lets the page load its own data first, ms. */
const preloadDelayMs = 500;

/** Loads the code of a page that is one click away. A failure shows when the user clicks. */
export function usePreload(load: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), preloadDelayMs);
    return () => clearTimeout(timer);
  }, [load]);
}
