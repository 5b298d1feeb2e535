import TuneIcon from '@mui/icons-material/Tune';
import { Box, Drawer, IconButton, Tooltip, Typography, useMediaQuery } from '@mui/material';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { date as dateShape } from '@roomside/contract/shape.ts';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Navigate, useLocation, useParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { ownZone, sameClock, today, wallToInstant, zoneLabel } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Page } from '../../ui/Page.tsx';
import { DateSteps, type Steps } from './DateSteps.tsx';
import './schedule.css';
import { texts } from './texts.ts';

/** Redirects to the clinic's today (ROUTE-7). */
export function ToToday({ of }: { of: (params: { date: string }) => string }) {
  const { data, error, refetch } = useRead(getSignIn, undefined, { staleTime: 60_000 });
  if (data) return <Navigate to={of({ date: today(data.company?.timeZone ?? ownZone()) })} replace />;
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <Loading />;
}

/** Reads and checks the date in the address. */
export function OfDate({ show }: { show: (date: string, zone: string) => ReactNode }) {
  const date = useParams()['date'] ?? '';
  const { data, error, refetch } = useRead(getSignIn, undefined, { staleTime: 60_000 });
  if (!dateShape.safeParse(date).success) return <Navigate to={to.notFound()} replace />;
  if (data) return show(date, data.company?.timeZone ?? ownZone());
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <Loading />;
}

interface Props {
  title: string;
  /** The shown company days. */
  days: readonly string[];
  zone: string;
  steps: Steps;
  /** The side panel below the links to other dates. */
  panel: ReactNode;
  children: ReactNode;
}

/** The frame of both calendars (SCHED-1): the side panel beside them, or in a drawer on small screens. */
export function SchedulePage({ title, days, zone, steps, panel, children }: Props) {
  const wide = useMediaQuery('(min-width: 1100px)', { noSsr: true });
  const phone = useMediaQuery('(max-width: 599px)', { noSsr: true });
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  // Not all zones change their clocks, or on the same date.
  const isElsewhere = useMemo(
    () => days.some((day) => !sameClock(wallToInstant(day, '12:00', zone), zone, ownZone())),
    [days, zone],
  );
  return (
    <Page
      title={title}
      documentTitle={texts.title}
      add={{ label: texts.new, to: to.appointmentEdit({ patient: 0, id: 0 }) }}
      actions={
        !wide && (
          <Tooltip title={texts.openPanel}>
            <IconButton aria-label={texts.openPanel} onClick={() => setOpen(true)}>
              <TuneIcon />
            </IconButton>
          </Tooltip>
        )
      }
    >
      {/* The link to another date keeps the focus, so the new date is announced. */}
      <div role="status" className="sch-hidden">
        {title}
      </div>
      <Box sx={{ display: 'flex', gap: 3, alignItems: 'flex-start' }}>
        {wide && (
          <Box component="aside" aria-label={texts.panel} sx={{ width: 248, flex: 'none', ...panelLook }}>
            <DateSteps {...steps} />
            {panel}
          </Box>
        )}
        <Box sx={{ flex: 1, minWidth: 0 }}>
          {!wide && <DateSteps {...steps} isRow />}
          {isElsewhere && (
            <Typography variant="caption" component="p" color="textSecondary" sx={{ mb: 1 }}>
              {texts.zone(zoneLabel(zone))}
            </Typography>
          )}
          {children}
        </Box>
      </Box>
      {!wide && (
        <Drawer
          anchor={phone ? 'bottom' : 'right'}
          open={open}
          onClose={() => setOpen(false)}
          slotProps={{
            paper: {
              role: 'dialog',
              'aria-modal': true,
              'aria-label': texts.panel,
              sx: {
                ...panelLook,
                p: 2,
                ...(phone
                  ? { maxHeight: '85dvh', borderRadius: 'var(--rs-radius-lg) var(--rs-radius-lg) 0 0' }
                  : { width: 300 }),
              },
            },
          }}
        >
          <Button look="quiet" onClick={() => setOpen(false)} sx={{ justifySelf: 'end' }}>
            {texts.close}
          </Button>
          {panel}
        </Drawer>
      )}
    </Page>
  );
}

const panelLook = { display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)', alignContent: 'start' } as const;
