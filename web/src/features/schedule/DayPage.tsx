import { Tab, Tabs, useMediaQuery } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { listSchedule, type ScheduleSettings } from '@roomside/contract/schedule/calls.ts';
import { dayBounds } from '@roomside/contract/time.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { readKey, useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { addDays, formatDay, formatLongDate } from '../../time/time.ts';
import { DaySkeleton } from '../../ui/Skeletons.tsx';
import { CalendarPage, type Ways } from './CalendarPage.tsx';
import { DayGrid } from './DayGrid.tsx';
import { type DayScale, dayHours, isCondensed, placeBusy, placeDay, rowHeight } from './day-layout.ts';
import { monthRange, offOn } from './month.ts';
import { type CalendarProvider, useCalendar } from './providers.ts';
import { OfDate, ToToday } from './SchedulePage.tsx';
import { texts } from './texts.ts';

/** /schedule/daily (ROUTE-7). */
export const DayTodayRoute = () => <ToToday of={to.scheduleDailyOf} />;

/** /schedule/daily/{date}: a column per provider (SCHED-1 to SCHED-3). */
export const DayPage = () => <OfDate show={(date, zone) => <Day date={date} zone={zone} />} />;

type Schedule = ResultOf<typeof listSchedule>;

/** Refetch interval: an appointment becomes missed by time alone; other changes are pushed, ms. */
const refetchIntervalMs = 60_000;

const ways: Ways = {
  of: to.scheduleDailyOf,
  step: addDays,
  previous: texts.previousDay,
  next: texts.nextDay,
  other: { label: texts.month, of: to.scheduleMonthlyOf },
};

function Day({ date, zone }: { date: string; zone: string }) {
  const phone = useMediaQuery('(max-width: 599px)', { noSsr: true });
  const known = useKnownDay(date, zone);
  const options = { refetchInterval: refetchIntervalMs, placeholder: known };
  const schedule = useRead(listSchedule, { query: { from: date, to: date } }, options);
  const calendar = useCalendar(schedule.data?.data);
  // The checkbox changes immediately; the columns follow with a lower priority.
  const shown = useDeferredValue(calendar.shown);
  const [picked, setPicked] = useState<number>();
  const one = shown.find(({ userId }) => userId === picked) ?? shown[0];
  const settings = calendar.settings.data;
  const { data } = schedule;
  const columns = phone && one ? [one] : shown;
  return (
    <CalendarPage
      title={phone ? formatDay(date) : formatLongDate(date)}
      date={date}
      days={[date]}
      zone={zone}
      ways={ways}
      schedule={schedule}
      calendar={calendar}
      waiting={<DaySkeleton />}
    >
      {data && settings && columns.length > 0 && (
        <>
          {phone && one && shown.length > 1 && (
            <Tabs
              value={one.userId}
              onChange={(_, userId: number) => setPicked(userId)}
              variant="scrollable"
              scrollButtons
              allowScrollButtonsMobile
              aria-label={texts.providers}
              sx={{ mb: 1, '& .MuiTab-root': { textTransform: 'none', minHeight: 48 } }}
            >
              {shown.map(({ userId, name }) => (
                <Tab key={userId} value={userId} label={name} />
              ))}
            </Tabs>
          )}
          <Sheets date={date} zone={zone} data={data} columns={columns} phone={phone} settings={settings.settings} />
        </>
      )}
    </CalendarPage>
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

/** Computes the layout of the day. */
function Sheets({ date, zone, data, settings, columns: providers, phone }: SheetsProps) {
  const condensed = isCondensed(providers.length);
  const { slot } = settings;
  const row = rowHeight(slot, condensed);
  const columns = useMemo(() => {
    const least = (minBoxPx / row) * slot;
    return providers.map((provider) => {
      const { userId } = provider;
      const off = offOn(data.timeOff, date, (id) => id === userId);
      return {
        provider,
        placed: placeDay(
          data.data.filter(({ doctorId }) => doctorId === userId),
          date,
          zone,
          least,
        ),
        open: data.open.filter((open) => open.doctorId === userId && open.date === date),
        busy: placeBusy(
          data.busy.filter(({ doctorId }) => doctorId === userId),
          date,
          zone,
        ),
        off: off.map(({ userId: whose, reason }) =>
          whose === null ? texts.closedFor(reason) : texts.leaveFor(reason),
        ),
      };
    });
  }, [providers, data, date, zone, row, slot]);
  const scale = useMemo((): DayScale => {
    const hours = dayHours(
      settings,
      columns.flatMap(({ placed, open }) => [...placed, ...open]),
    );
    return { ...hours, slot, row, columns: columns.length };
  }, [settings, columns, slot, row]);
  return (
    <DayGrid
      key={date}
      date={date}
      zone={zone}
      scale={scale}
      columns={columns}
      condensed={condensed}
      phone={phone}
      startsAt={settings.startHour * 60}
    />
  );
}

/** Minimum height of a box, px. */
const minBoxPx = 24;

/** The day as far as the month's result contains it, shown until the day's own is loaded. */
function useKnownDay(date: string, zone: string): Schedule | undefined {
  const client = useQueryClient();
  return useMemo(() => {
    const month = client.getQueryData<Schedule>(readKey(listSchedule, { query: monthRange(date) }));
    if (!month) return undefined;
    // Compares instants: computing the dates of a thousand appointments is slow.
    const { from, to: until } = dayBounds(date, zone);
    const [first, last] = [Date.parse(from), Date.parse(until)];
    return {
      data: month.data.filter(({ startDate, endDate }) => Date.parse(startDate) < last && Date.parse(endDate) > first),
      open: month.open.filter((open) => open.date === date),
      busy: month.busy.filter(({ startDate, endDate }) => Date.parse(startDate) < last && Date.parse(endDate) > first),
      timeOff: month.timeOff.filter(({ firstDay, lastDay }) => firstDay <= date && date <= lastDay),
    };
  }, [client, date, zone]);
}
