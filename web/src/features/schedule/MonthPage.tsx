import { useMediaQuery } from '@mui/material';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { useDeferredValue, useMemo } from 'react';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatMonth, today } from '../../time/time.ts';
import { CalendarPage, useGoTo, type Ways } from './CalendarPage.tsx';
import { MonthGrid } from './MonthGrid.tsx';
import { addMonths, monthModel, monthRange, monthWeeks } from './month.ts';
import { PhoneMonth } from './PhoneMonth.tsx';
import { useCalendar } from './providers.ts';
import { OfDate, ToToday } from './SchedulePage.tsx';
import { texts } from './texts.ts';

/** /schedule/monthly (ROUTE-7). */
export const MonthTodayRoute = () => <ToToday of={to.scheduleMonthlyOf} />;

/** /schedule/monthly/{date}: the month of that date (SCHED-1, SCHED-2). */
export const MonthPage = () => <OfDate show={(date, zone) => <Month date={date} zone={zone} />} />;

/** Refetch interval in case a push was lost, ms. */
const refetchIntervalMs = 120_000;

const ways: Ways = {
  of: to.scheduleMonthlyOf,
  step: addMonths,
  previous: texts.previousMonth,
  next: texts.nextMonth,
  other: { label: texts.day, of: to.scheduleDailyOf },
};

function Month({ date, zone }: { date: string; zone: string }) {
  // With the menu, a smaller window has no room for names.
  const narrow = useMediaQuery('(max-width: 899px)', { noSsr: true });
  const month = date.slice(0, 7);
  const weeks = useMemo(() => monthWeeks(`${month}-01`), [month]);
  const days = useMemo(() => weeks.flat(), [weeks]);
  const schedule = useRead(listSchedule, { query: monthRange(`${month}-01`) }, { refetchInterval: refetchIntervalMs });
  const calendar = useCalendar(schedule.data?.data);
  // The checkbox changes immediately; the month follows with a lower priority.
  const shown = useDeferredValue(calendar.shown);
  const model = useMemo(() => {
    if (!schedule.data || shown.length === 0) return undefined;
    const ids = new Set(shown.map(({ userId }) => userId));
    return monthModel(schedule.data, (id) => ids.has(id), days, zone);
  }, [schedule.data, shown, days, zone]);
  const openDay = useGoTo(to.scheduleDailyOf);
  const choose = useGoTo(to.scheduleMonthlyOf);
  const props = { date, month, weeks, today: today(zone), model, providers: calendar.providers, openDay, choose };
  const grid = narrow ? <PhoneMonth {...props} /> : <MonthGrid {...props} />;
  return (
    <CalendarPage
      title={formatMonth(date)}
      date={date}
      days={days}
      zone={zone}
      ways={ways}
      schedule={schedule}
      calendar={calendar}
      waiting={grid}
    >
      {model && grid}
    </CalendarPage>
  );
}
