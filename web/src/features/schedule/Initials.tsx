import type { CalendarProvider } from './providers.ts';

/** A provider's color with initials as a second cue; hidden from screen readers, since the name is beside it. */
export function Initials({ provider }: { provider: Pick<CalendarProvider, 'hue' | 'initials'> }) {
  return (
    <span aria-hidden className="sch-initials" style={hueStyle(provider.hue)}>
      {provider.initials}
    </span>
  );
}

/** The hue for schedule.css. */
export const hueStyle = (hue: number): React.CSSProperties => ({ '--hue': hue }) as React.CSSProperties;
