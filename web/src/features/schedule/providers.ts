import { getScheduleSettings, type ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { useMemo, useState } from 'react';
import { keepPersonal, recallPersonal } from '../../api/personal-storage.ts';
import { useRead } from '../../api/use-call.ts';
import { texts } from './texts.ts';

/** A provider with a column; `hue` is a color's angle, `initials` are a second cue besides the color. */
export interface CalendarProvider {
  userId: number;
  name: string;
  lastName: string;
  initials: string;
  hue: number;
  /** No longer a provider, but with appointments: cannot be booked. */
  isFormer: boolean;
}

/** Neighboring hues are far apart. None is near 75, the color of a waiting patient. */
const hues = [185, 255, 110, 310, 140, 25, 220, 345] as const;

interface Person {
  userId: number;
  firstName: string;
  lastName: string;
}

/** The providers with a column: the company's by name, then former ones who still have appointments. */
export function calendarProviders(
  physicians: readonly Person[],
  entries: readonly Pick<ScheduleEntry, 'doctorId'>[],
): CalendarProvider[] {
  const known = new Set(physicians.map(({ userId }) => userId));
  const former = [...new Set(entries.map(({ doctorId }) => doctorId))].filter((id) => !known.has(id));
  // By id, so that a new provider does not change the colors of others.
  const ranks = new Map([...known, ...former].sort((a, b) => a - b).map((userId, rank) => [userId, rank]));
  const hueOf = (userId: number) => hues[(ranks.get(userId) ?? 0) % hues.length] ?? hues[0];
  return [
    ...physicians.map(({ userId, firstName, lastName }) => ({
      userId,
      lastName,
      name: `${firstName} ${lastName}`.trim(),
      hue: hueOf(userId),
      isFormer: false,
      initials: (firstName.slice(0, 1) + lastName.slice(0, 1)).toUpperCase(),
    })),
    ...former.map((userId) => ({
      userId,
      lastName: texts.formerProvider,
      name: texts.formerProvider,
      hue: hueOf(userId),
      isFormer: true,
      initials: '–',
    })),
  ];
}

const keptAs = 'schedule:hidden';

/** SCHED-1: the checklist. All providers are selected at first; the choice is kept in the tab. */
export function useCalendar(entries: readonly ScheduleEntry[] | undefined) {
  const [hidden, setHidden] = useState(readHidden);
  const settings = useRead(getScheduleSettings, undefined, { staleTime: 60_000 });
  const physicians = settings.data?.physicians;
  const providers = useMemo(
    // Until the providers are loaded, none counts as a former one.
    () => (physicians ? calendarProviders(physicians, entries ?? []) : []),
    [physicians, entries],
  );
  const shown = useMemo(() => providers.filter(({ userId }) => !hidden.has(userId)), [providers, hidden]);

  const keep = (ids: ReadonlySet<number>) => {
    keepPersonal(keptAs, JSON.stringify([...ids]));
    setHidden(ids);
  };
  return {
    settings,
    providers,
    shown,
    toggle: (userId: number) => {
      const next = new Set(hidden);
      if (!next.delete(userId)) next.add(userId);
      keep(next);
    },
    showAll: () => keep(new Set()),
    showNone: () => keep(new Set(providers.map(({ userId }) => userId))),
  };
}
export type Calendar = ReturnType<typeof useCalendar>;

function readHidden(): ReadonlySet<number> {
  try {
    const stored: unknown = JSON.parse(recallPersonal(keptAs) ?? '[]');
    return new Set(Array.isArray(stored) ? stored.map(Number) : []);
  } catch {
    return new Set();
  }
}
