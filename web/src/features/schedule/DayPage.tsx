import { Skeleton, Tab, Tabs, useMediaQuery } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { listSchedule, type ScheduleSettings } from '@roomside/contract/schedule/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { readKey, useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { addDays, formatDay, formatLongDate, today, wallPlace } from '../../time/time.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import type { Steps } from './DateSteps.tsx';
import { DayGrid } from './DayGrid.tsx';
import { dayHours, isCondensed, placeDay, rowHeight, type Sheet } from './day-layout.ts';
import { monthRange, offOn } from './month.ts';
import { NobodyShown } from './NobodyShown.tsx';
import { type CalendarProvider, useCalendar } from './providers.ts';
import { OfDate, SchedulePage, ToToday } from './SchedulePage.tsx';
import { SidePanel } from './SidePanel.tsx';
import { texts } from './texts.ts';

/** /schedule/daily (ROUTE-7). */
export const DayTodayRoute = () => <ToToday of={to.scheduleDailyOf} />;

/** /schedule/daily/{date}: a column per provider (SCHED-1 to SCHED-3). */
export const DayPage = () => <OfDate show={(date, zone) => <Day date={date} zone={zone} />} />;

type Schedule = ResultOf<typeof listSchedule>;

/** A visit becomes missed by the clock alone; pushes tell the rest, ms. */
const askAgainMs = 60_000;

function Day({ date, zone }: { date: string; zone: string }) {
  const navigate = useNavigate();
  const phone = useMediaQuery('(max-width: 599px)', { noSsr: true });
  const known = useKnownDay(date, zone);
  const options = { refetchInterval: askAgainMs, placeholder: known };
  const schedule = useRead(listSchedule, { query: { from: date, to: date } }, options);
  const calendar = useCalendar(schedule.data?.data);
  const { settings } = calendar;
  // A tick shows at once; the columns follow as soon as they can.
  const shown = useDeferredValue(calendar.shown);
  const [picked, setPicked] = useState<number>();
  const one = shown.find(({ userId }) => userId === picked) ?? shown[0];
  const goTo = useCallback((day: string) => void navigate(to.scheduleDailyOf({ date: day })), [navigate]);

  const todayHere = today(zone);
  const steps = useMemo(
    (): Steps => ({
      previous: { label: texts.previousDay, to: to.scheduleDailyOf({ date: addDays(date, -1) }) },
      next: { label: texts.nextDay, to: to.scheduleDailyOf({ date: addDays(date, 1) }) },
      today: to.scheduleDailyOf({ date: todayHere }),
      other: { label: texts.month, to: to.scheduleMonthlyOf({ date }) },
    }),
    [date, todayHere],
  );
  const error = schedule.error ?? settings.error;
  const data = schedule.data;
  const columns = phone && one ? [one] : shown;
  return (
    <SchedulePage
      title={phone ? formatDay(date) : formatLongDate(date)}
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
      {settings.data && calendar.shown.length === 0 ? (
        <NobodyShown calendar={calendar} />
      ) : data && settings.data && columns.length > 0 ? (
        <>
          {phone && one && shown.length > 1 && (
            <Tabs
              value={one.userId}
              onChange={(_, userId: number) => setPicked(userId)}
              variant="scrollable"
              allowScrollButtonsMobile
              aria-label={texts.providers}
              sx={{ mb: 1, '& .MuiTab-root': { textTransform: 'none', minHeight: 48 } }}
            >
              {shown.map(({ userId, name }) => (
                <Tab key={userId} value={userId} label={name} />
              ))}
            </Tabs>
          )}
          <Sheets {...{ date, zone, data, columns, phone }} settings={settings.data.settings} />
        </>
      ) : (
        !error && <Skeleton variant="rounded" sx={{ height: { xs: 480, sm: 'calc(100dvh - 140px)' } }} />
      )}
    </SchedulePage>
  );
}

interface SheetsProps {
  date: string;
  zone: string;
  data: Schedule;
  settings: ScheduleSettings;
  columns: readonly CalendarProvider[];
  phone: boolean;
}

/** Works out what stands where. */
function Sheets({ date, zone, data, settings, columns: providers, phone }: SheetsProps) {
  const condensed = isCondensed(providers.length);
  const { slot } = settings;
  const row = rowHeight(slot, condensed);
  const columns = useMemo(() => {
    const least = (rowLeast / row) * slot;
    return providers.map((provider) => {
      const { userId } = provider;
      const off = offOn(data.timeOff, date, (id) => id === userId);
      return {
        provider,
        placed: placeDay(
          data.data.filter(({ doctorId }) => doctorId === userId),
          zone,
          least,
        ),
        open: data.open.filter((open) => open.doctorId === userId && open.date === date),
        off: off.map(({ userId: whose, reason }) =>
          whose === null ? texts.closedFor(reason) : texts.leaveFor(reason),
        ),
      };
    });
  }, [providers, data, date, zone, row, slot]);
  const sheet = useMemo((): Sheet => {
    const hours = dayHours(
      settings,
      columns.flatMap(({ placed, open }) => [...placed, ...open]),
    );
    return { ...hours, slot, row, columns: columns.length };
  }, [settings, columns, slot, row]);
  return (
    <DayGrid key={date} {...{ date, zone, sheet, columns, condensed, phone }} startsAt={settings.startHour * 60} />
  );
}

/** The height of the smallest box, px. */
const rowLeast = 24;

/** What the month's answer already tells of a day, to be seen while the day's own is on its way. */
function useKnownDay(date: string, zone: string): Schedule | undefined {
  const client = useQueryClient();
  return useMemo(() => {
    const month = client.getQueryData<Schedule>(readKey(listSchedule, { query: monthRange(date) }));
    return (
      month && {
        data: month.data.filter(({ startDate }) => wallPlace(startDate, zone).date === date),
        open: month.open.filter((open) => open.date === date),
        timeOff: month.timeOff.filter(({ firstDay, lastDay }) => firstDay <= date && date <= lastDay),
      }
    );
  }, [client, date, zone]);
}
