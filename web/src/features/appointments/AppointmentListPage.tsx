import ChevronLeftIcon from '@mui/icons-material/ChevronLeft';
import ChevronRightIcon from '@mui/icons-material/ChevronRight';
import { Box, MenuItem, Typography } from '@mui/material';
import { downloadAppointments, listAppointments } from '@roomside/contract/appointments/calls.ts';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { date as dateShape } from '@roomside/contract/shape.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useParams } from 'react-router';
import { sendForFile } from '../../api/send.ts';
import { invalidate, useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { DownloadButton } from '../../list/DownloadButton.tsx';
import { useListState } from '../../list/list-state.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { useList } from '../../list/use-list.ts';
import { newAppointment, to } from '../../paths.ts';
import { addDays, formatDate, formatDayLink, formatLongDate, ownZone, today } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Page } from '../../ui/Page.tsx';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { AppointmentTable } from './AppointmentTable.tsx';
import { useProviderFilter } from './provider-filter.ts';
import { texts } from './texts.ts';

/** /appointment-list redirects to the clinic's today (ROUTE-4). */
export function TodayRoute() {
  const { data, error, refetch } = useRead(getSignIn, undefined, { staleTime: 60_000 });
  if (data) {
    const date = today(data.company?.timeZone ?? ownZone());
    return <Navigate to={to.appointmentListDay({ date })} replace />;
  }
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <Loading />;
}

/** /appointment-list/{YYYY-MM-DD}: one day of the clinic (LIST-1 to LIST-22). */
export function AppointmentListPage() {
  const date = useParams()['date'] ?? '';
  return dateShape.safeParse(date).success ? <Day date={date} /> : <Navigate to={to.notFound()} replace />;
}

/** Refetch interval: an appointment becomes missed by time alone, ms. */
const refetchIntervalMs = 60_000;

function Day({ date }: { date: string }) {
  const client = useQueryClient();
  const isToday = date === today(useCompany()?.timeZone ?? ownZone());
  const { provider, doctors, choose } = useProviderFilter();
  const state = useListState('appointments', { scope: `${date} ${provider}` });
  const physicians = provider ? { physicians: String(provider) } : {};
  const list = useList(listAppointments, state, { startDate: date, ...physicians });

  useEffect(() => {
    const timer = setInterval(() => void invalidate(client, [listAppointments]), refetchIntervalMs);
    return () => clearInterval(timer);
  }, [client]);

  function openDownload() {
    const { filter, sort } = state;
    type Order = NonNullable<Parameters<typeof sendForFile<typeof downloadAppointments>>[1]['query']['orderBy']>;
    const query = {
      startDate: date,
      ...physicians,
      ...(filter && { filter }),
      ...(sort && { orderBy: sort as Order }),
    };
    return sendForFile(downloadAppointments, { query });
  }

  const dayLink = (days: number, label: (date: string) => string, icon: ReactNode) => {
    const other = addDays(date, days);
    return (
      <Button
        look="quiet"
        to={to.appointmentListDay({ date: other })}
        aria-label={label(formatDayLink(other))}
        {...(days < 0 ? { startIcon: icon } : { endIcon: icon })}
        sx={{ px: 1, fontVariantNumeric: 'tabular-nums' }}
      >
        {formatDayLink(other)}
      </Button>
    );
  };
  return (
    <Page
      title={isToday ? texts.title : texts.titleOf(formatDate(date))}
      add={{ label: texts.new, to: newAppointment(isToday ? {} : { date }) }}
      search={{ value: state.text, onChange: state.setText, label: texts.search }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', rowGap: 1.5, columnGap: 1, mb: 2 }}>
        <Box sx={days}>
          {dayLink(-1, texts.previousDay, <ChevronLeftIcon />)}
          <Typography
            component="p"
            sx={{ fontWeight: 600, px: 1, order: { xs: -1, sm: 0 }, flex: { xs: '1 0 100%', sm: 'none' } }}
          >
            {formatLongDate(date)}
          </Typography>
          {dayLink(1, texts.nextDay, <ChevronRightIcon />)}
          {!isToday && (
            <Button look="quiet" to={to.appointmentList()}>
              {texts.today}
            </Button>
          )}
        </Box>
        <ToolSelect
          label={texts.provider}
          value={provider === 0 || doctors ? provider : ''}
          onChange={(value) => choose(Number(value))}
        >
          <MenuItem value={0}>{texts.allProviders}</MenuItem>
          {doctors?.map(({ userId, firstName, lastName }) => (
            <MenuItem key={userId} value={userId}>
              {firstName} {lastName}
            </MenuItem>
          ))}
        </ToolSelect>
        <RefreshButton onRefresh={state.refresh} />
        <DownloadButton label={texts.download} open={openDownload} />
      </Box>
      <AppointmentTable list={list} {...(!isToday && { date })} />
    </Page>
  );
}

/** The day between its neighbors; on a phone above them. */
const days = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: { xs: 'space-between', sm: 'flex-start' },
  flex: { xs: '1 0 100%', sm: '0 1 auto' },
  mr: 'auto',
  ml: -1,
} as const;
