import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { today } from '../../time/time.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import type { Steps } from './DateSteps.tsx';
import { NoProviders } from './NoProviders.tsx';
import type { Calendar } from './providers.ts';
import { SchedulePage } from './SchedulePage.tsx';
import { SidePanel } from './SidePanel.tsx';

type PathOf = (params: { date: string }) => string;

/** Links from a date to others. */
export interface Ways {
  /** The path of this calendar. */
  of: PathOf;
  step: (date: string, by: number) => string;
  previous: string;
  next: string;
  /** The other calendar. */
  other: { label: string; of: PathOf };
}

interface Props {
  title: string;
  date: string;
  /** The shown company days. */
  days: readonly string[];
  zone: string;
  ways: Ways;
  schedule: Pick<UseQueryResult, 'error' | 'refetch'>;
  calendar: Calendar;
  /** Shown until `children` is ready, unless an error occurred. */
  waiting: ReactNode;
  /** The calendar; falsy while it cannot be drawn. */
  children: ReactNode;
}

/** The common frame of both calendars: links to other dates, the side panel, and messages in place of the calendar. */
export function CalendarPage({ title, date, days, zone, ways, schedule, calendar, waiting, children }: Props) {
  const { settings, shown } = calendar;
  const goTo = useGoTo(ways.of);
  const todayHere = today(zone);
  const steps = useMemo(
    (): Steps => ({
      previous: { label: ways.previous, to: ways.of({ date: ways.step(date, -1) }) },
      next: { label: ways.next, to: ways.of({ date: ways.step(date, 1) }) },
      today: ways.of({ date: todayHere }),
      other: { label: ways.other.label, to: ways.other.of({ date }) },
    }),
    [ways, date, todayHere],
  );
  const error = schedule.error ?? settings.error;
  return (
    <SchedulePage
      title={title}
      days={days}
      zone={zone}
      steps={steps}
      panel={<SidePanel date={date} calendar={calendar} onDate={goTo} />}
    >
      {error && (
        <LoadError
          error={error}
          onRetry={() => {
            if (schedule.error) void schedule.refetch();
            if (settings.error) void settings.refetch();
          }}
        />
      )}
      {settings.data && shown.length === 0 ? <NoProviders calendar={calendar} /> : children || (!error && waiting)}
    </SchedulePage>
  );
}

/** Returns a function that navigates to the calendar of a date. */
export function useGoTo(of: PathOf): (date: string) => void {
  const navigate = useNavigate();
  return useCallback((date) => void navigate(of({ date })), [navigate, of]);
}
