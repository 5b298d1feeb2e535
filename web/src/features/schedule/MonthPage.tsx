import { useMediaQuery } from '@mui/material';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatMonth, today } from '../../time/time.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import type { Steps } from './DateSteps.tsx';
import { MonthGrid } from './MonthGrid.tsx';
import { addMonths, monthModel, monthRange, monthWeeks } from './month.ts';
import { NobodyShown } from './NobodyShown.tsx';
import { PhoneMonth } from './PhoneMonth.tsx';
import { useCalendar } from './providers.ts';
import { OfDate, SchedulePage, ToToday } from './SchedulePage.tsx';
import { SidePanel } from './SidePanel.tsx';
import { texts } from './texts.ts';

/** /schedule/monthly (ROUTE-7). */
export const MonthTodayRoute = () => <ToToday of={to.scheduleMonthlyOf} />;

/** /schedule/monthly/{date}: the month of that date (SCHED-1, SCHED-2). */
export const MonthPage = () => <OfDate show={(date, zone) => <Month date={date} zone={zone} />} />;

/** Pushes keep it true; this is for one that got lost, ms. */
const askAgainMs = 120_000;

function Month({ date, zone }: { date: string; zone: string }) {
  const navigate = useNavigate();
  // Beside the menu a smaller window has no room for names.
  const narrow = useMediaQuery('(max-width: 899px)', { noSsr: true });
  const month = date.slice(0, 7);
  const weeks = useMemo(() => monthWeeks(`${month}-01`), [month]);
  const schedule = useRead(listSchedule, { query: monthRange(`${month}-01`) }, { refetchInterval: askAgainMs });
  const calendar = useCalendar(schedule.data?.data);
  const { settings } = calendar;
  // A tick shows at once; the month follows as soon as it can.
  const shown = useDeferredValue(calendar.shown);
  const model = useMemo(() => {
    if (!schedule.data || shown.length === 0) return undefined;
    const ids = new Set(shown.map(({ userId }) => userId));
    return monthModel(schedule.data, (id) => ids.has(id), weeks.flat(), zone);
  }, [schedule.data, shown, weeks, zone]);
  const openDay = useCallback((day: string) => void navigate(to.scheduleDailyOf({ date: day })), [navigate]);
  const choose = useCallback((day: string) => void navigate(to.scheduleMonthlyOf({ date: day })), [navigate]);

  const todayHere = today(zone);
  const steps = useMemo(
    (): Steps => ({
      previous: { label: texts.previousMonth, to: to.scheduleMonthlyOf({ date: addMonths(date, -1) }) },
      next: { label: texts.nextMonth, to: to.scheduleMonthlyOf({ date: addMonths(date, 1) }) },
      today: to.scheduleMonthlyOf({ date: todayHere }),
      other: { label: texts.day, to: to.scheduleDailyOf({ date }) },
    }),
    [date, todayHere],
  );
  const error = schedule.error ?? settings.error;
  const sheet = { date, month, weeks, today: todayHere, model, providers: calendar.providers, openDay, choose };
  const nobody = settings.data !== undefined && calendar.shown.length === 0;
  return (
    <SchedulePage
      title={formatMonth(date)}
      zone={zone}
      steps={steps}
      panel={<SidePanel date={date} calendar={calendar} onDate={choose} />}
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
      {nobody && <NobodyShown calendar={calendar} />}
      {(model || !error) && !nobody && (narrow ? <PhoneMonth {...sheet} /> : <MonthGrid {...sheet} />)}
    </SchedulePage>
  );
}
