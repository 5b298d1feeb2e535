import { useEffect } from 'react';

/** After this long a page has what it needs itself, ms. */
const soonMs = 500;

/** Loads the code of a page that is one click away, so that the click finds it; a failure is told by the click itself. */
export function usePreload(load: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), soonMs);
    return () => clearTimeout(timer);
  }, [load]);
}
