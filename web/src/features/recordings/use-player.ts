import type { Recording } from '@roomside/contract/recordings/calls.ts';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Player, type PlayerView } from './player.ts';
import { Timeline } from './timeline.ts';
import { segmentsOf } from './track-segments.ts';

/** How often the clock is moved, ms. */
const tickMs = 100;
/** Since the page was loaded, ms; never goes back. */
const pageTime = () => performance.now();

/** Returns the player of recordings, and its view; it plays while the page is shown. */
export function usePlayer(recordings: readonly Recording[]): { player: Player; timeline: Timeline; view: PlayerView } {
  const timeline = useTimeline(recordings);
  const [player] = useState(() => new Player(timeline, pageTime));
  useEffect(() => player.follow(timeline), [player, timeline]);
  const view = useSyncExternalStore(player.subscribe, player.get);
  useEffect(() => {
    const timer = setInterval(() => player.tick(), tickMs);
    return () => {
      clearInterval(timer);
      player.pause();
    };
  }, [player]);
  return { player, timeline, view };
}

/** The timeline; the same one while only the addresses change. */
function useTimeline(recordings: readonly Recording[]): Timeline {
  const tracks = recordings.map((one) => ({ id: one.recordingId, segments: segmentsOf(one) }));
  const key = JSON.stringify(tracks);
  // oxlint-disable-next-line react/exhaustive-deps -- the key has all of the tracks.
  return useMemo(() => new Timeline(JSON.parse(key) as typeof tracks), [key]);
}
