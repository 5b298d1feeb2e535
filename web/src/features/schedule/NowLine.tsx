import { useEffect, useState } from 'react';
import { now, wallPlace } from '../../time/time.ts';
import { type DayScale, toPx } from './day-layout.ts';

const tickMs = 30_000;

/** A line at the clinic's current time; decorative. */
export function NowLine({ zone, scale }: { zone: string; scale: DayScale }) {
  const [minute, setMinute] = useState(() => wallPlace(now(), zone).minute);
  useEffect(() => {
    const timer = setInterval(() => setMinute(wallPlace(now(), zone).minute), tickMs);
    return () => clearInterval(timer);
  }, [zone]);
  if (minute < scale.start || minute > scale.end) return null;
  return <div className="sch-now" aria-hidden style={{ top: toPx(scale, minute - scale.start) }} />;
}
