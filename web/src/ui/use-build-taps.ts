import { useRef } from 'react';
import { texts } from './texts.ts';
import { toast } from './toast.ts';

const taps = 5;
const tapsWithinMs = 3_000;

/** MENU-5: five taps on a title show the build hash, and in a room the peer id. Returns the click handler. */
export function useBuildTaps(peerId?: string): () => void {
  const tapped = useRef<number[]>([]);
  return () => {
    const now = Date.now();
    tapped.current = [...tapped.current.filter((at) => now - at < tapsWithinMs), now];
    if (tapped.current.length < taps) return;
    tapped.current = [];
    toast.info(texts.build(__BUILD__, peerId));
  };
}
