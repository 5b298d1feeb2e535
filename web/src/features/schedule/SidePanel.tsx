import { Box, Link, Typography } from '@mui/material';
import { date as dateShape } from '@roomside/contract/shape.ts';
import { memo, useEffect, useEffectEvent, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { LooseDateInput } from '../../form/DateInput.tsx';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { BookingRequests } from './BookingRequests.tsx';
import { Initials } from './Initials.tsx';
import type { Calendar } from './providers.ts';
import { texts } from './texts.ts';

interface Props {
  date: string;
  calendar: Calendar;
  onDate: (date: string) => void;
}

/** The side panel of both calendars: a date field, the providers, links to the rules, and time requests, which come and go. */
export function SidePanel({ date, calendar, onDate }: Props) {
  const { settings } = calendar;
  return (
    <>
      <JumpToDate date={date} onDate={onDate} />
      <Providers calendar={calendar} />
      {settings.isFetched && (
        <>
          <RuleLinks />
          <BookingRequests />
        </>
      )}
    </>
  );
}

/** Delay after the last key before a typed date is used, ms. */
const pauseMs = 800;

const JumpToDate = memo(function JumpToDate({ date, onDate }: { date: string; onDate: (date: string) => void }) {
  // A new date drops the text that was typed for another one.
  const [own, setOwn] = useState({ of: date, text: date });
  const typed = own.of === date ? own.text : date;
  const go = useEffectEvent(onDate);
  const wanted = typed !== date && dateShape.safeParse(typed).success ? typed : undefined;
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => go(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  return (
    <Box onKeyDown={(event) => event.key === 'Enter' && wanted && onDate(wanted)}>
      <LooseDateInput
        label={texts.goTo}
        value={typed}
        onChange={(text) => setOwn({ of: date, text })}
        min="1900-01-01"
        max="2199-12-31"
      />
    </Box>
  );
});

function Providers({ calendar: { providers, shown, toggle, showAll, showNone } }: { calendar: Calendar }) {
  const ticked = new Set(shown);
  return (
    <fieldset className="sch-providers">
      <Typography component="legend" variant="h3">
        {texts.providers}
      </Typography>
      <Box sx={{ display: 'flex', ml: -1.5 }}>
        <Button
          look="quiet"
          size="small"
          sx={{ minHeight: 44 }}
          onClick={showAll}
          disabled={shown.length === providers.length}
        >
          {texts.all}
        </Button>
        <Button look="quiet" size="small" sx={{ minHeight: 44 }} onClick={showNone} disabled={shown.length === 0}>
          {texts.none}
        </Button>
      </Box>
      {providers.map((provider) => (
        <label key={provider.userId} className="sch-tick">
          <input type="checkbox" checked={ticked.has(provider)} onChange={() => toggle(provider.userId)} />
          <Initials provider={provider} />
          <span>{provider.name}</span>
        </label>
      ))}
    </fieldset>
  );
}

const links = [
  { label: texts.rules, path: to.adminScheduling() },
  { label: texts.timeOff, path: to.adminTimeOff() },
];

const RuleLinks = memo(function RuleLinks() {
  return (
    <Box sx={{ display: 'grid', justifyItems: 'start' }}>
      {links.map(({ label, path }) => (
        <Link
          key={path}
          component={RouterLink}
          to={path}
          sx={{ minHeight: 44, display: 'inline-flex', alignItems: 'center' }}
        >
          {label}
        </Link>
      ))}
    </Box>
  );
});
