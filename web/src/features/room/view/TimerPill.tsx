import { useEffect, useState } from 'react';
import type { Clock } from '../core/clock.ts';
import { texts } from '../texts.ts';
import { timerView } from './room-timer.ts';

interface Props {
  startsAt: number;
  joinedAt: number;
  limit: number;
  clock: Clock;
}

/** CONST-7: the timer for staff, over the video, so that it stays when the toolbar is hidden. */
export function TimerPill({ clock, ...input }: Props) {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), 1_000);
    return () => clearInterval(timer);
  }, [clock]);
  const { text, state } = timerView({ ...input, now });
  const label = state === 'over' ? texts.over : state === 'plain' ? texts.elapsed : texts.left;
  return (
    <div className="room-timer" data-state={state} role="timer" aria-label={`${label} ${text}`}>
      {texts.limit(state, text)}
    </div>
  );
}
