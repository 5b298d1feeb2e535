import type { CalendarProvider } from './providers.ts';

/** A provider's colour with the second cue in it; says nothing, the name stands beside it. */
export function Initials({ provider }: { provider: Pick<CalendarProvider, 'hue' | 'initials'> }) {
  return (
    <span aria-hidden className="sch-initials" style={hueStyle(provider.hue)}>
      {provider.initials}
    </span>
  );
}

/** The colour's angle for schedule.css. */
export const hueStyle = (hue: number): React.CSSProperties => ({ '--hue': hue }) as React.CSSProperties;
