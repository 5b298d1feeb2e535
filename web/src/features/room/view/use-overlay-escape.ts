import { useEffect, useEffectEvent } from 'react';

/** Closes a panel over the videos by Escape. */
export function useOverlayEscape(overlay: boolean, close: () => void): void {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && overlay && !event.defaultPrevented) close();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onEscape(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
