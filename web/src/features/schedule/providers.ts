import { getScheduleSettings, type ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { useMemo, useState } from 'react';
import { keepPersonal, recallPersonal } from '../../api/personal-storage.ts';
import { useRead } from '../../api/use-call.ts';
import { texts } from './texts.ts';

/** Somebody with a column; `hue` is a colour's angle, `initials` tell people apart where colours do not. */
export interface CalendarProvider {
  userId: number;
  name: string;
  lastName: string;
  initials: string;
  hue: number;
  /** No provider any more, but still with appointments: nothing new can be booked. */
  isFormer: boolean;
}

/** Far apart from one to the next. */
const hues = [185, 255, 75, 310, 140, 25, 220, 345] as const;

interface Person {
  userId: number;
  firstName: string;
  lastName: string;
}

/** Those with a column: the company's providers by name, then whoever else still has appointments. */
export function calendarProviders(
  physicians: readonly Person[],
  entries: readonly Pick<ScheduleEntry, 'doctorId'>[],
): CalendarProvider[] {
  const known = new Set(physicians.map(({ userId }) => userId));
  const former = [...new Set(entries.map(({ doctorId }) => doctorId))].filter((id) => !known.has(id));
  // By id, so that somebody new takes nobody's colour.
  const ranks = new Map([...known, ...former].sort((a, b) => a - b).map((userId, rank) => [userId, rank]));
  const hueOf = (userId: number) => hues[(ranks.get(userId) ?? 0) % hues.length] ?? hues[0];
  return [
    ...physicians.map(({ userId, firstName, lastName }) => ({
      ...{ userId, lastName, name: `${firstName} ${lastName}`.trim(), hue: hueOf(userId), isFormer: false },
      initials: (firstName.slice(0, 1) + lastName.slice(0, 1)).toUpperCase(),
    })),
    ...former.map((userId) => ({
      ...{ userId, lastName: texts.formerProvider, name: texts.formerProvider, hue: hueOf(userId), isFormer: true },
      initials: '–',
    })),
  ];
}

const keptAs = 'schedule:hidden';

/** SCHED-1: the checklist. Everybody is ticked until unticked; the choice holds while the tab lives. */
export function useCalendar(entries: readonly ScheduleEntry[] | undefined) {
  const [hidden, setHidden] = useState(readHidden);
  const settings = useRead(getScheduleSettings, undefined, { staleTime: 60_000 });
  const physicians = settings.data?.physicians;
  const providers = useMemo(
    // Before they are known nobody is taken for somebody who has left.
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
