import { Box, FormHelperText, MenuItem, TextField } from '@mui/material';
import { ledgerKinds } from '@roomside/contract/ledger/calls.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { useRead } from '../../api/use-call.ts';
import { LooseDateInput } from '../../form/DateInput.tsx';
import { addDays, today } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import type { Filters } from './ledger-query.ts';
import { texts } from './texts.ts';

interface Props {
  filters: Filters;
  zone: string;
  onChange: (filters: Filters) => void;
  error: string | undefined;
}

/** The period and what else the payments are filtered by. */
export function LedgerFilters({ filters, zone, onChange, error }: Props) {
  const doctors = useRead(listDoctors, {}).data?.data ?? [];
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      <Box role="group" aria-label={texts.ranges} sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {rangesOf(today(zone)).map(({ label, ...range }) => {
          const isShown = filters.from === range.from && filters.to === range.to;
          return (
            <Button
              key={label}
              look={isShown ? 'secondary' : 'quiet'}
              aria-pressed={isShown}
              onClick={() => onChange({ ...filters, ...range })}
            >
              {label}
            </Button>
          );
        })}
      </Box>
      <Box
        role="group"
        aria-label={texts.filters}
        sx={{
          display: { xs: 'grid', sm: 'flex' },
          gap: 2,
          gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
          flexWrap: 'wrap',
          '& > *': { flex: '1 1 160px', minWidth: 0 },
        }}
      >
        <LooseDateInput label={texts.from} value={filters.from} onChange={(from) => onChange({ ...filters, from })} />
        <LooseDateInput label={texts.to} value={filters.to} onChange={(to) => onChange({ ...filters, to })} />
        <TextField
          select
          label={texts.provider}
          value={filters.doctorId}
          onChange={({ target }) => onChange({ ...filters, doctorId: Number(target.value) })}
        >
          <MenuItem value={0}>{texts.allProviders}</MenuItem>
          {doctors.map(({ userId, firstName, lastName }) => (
            <MenuItem key={userId} value={userId}>{`${firstName} ${lastName}`}</MenuItem>
          ))}
        </TextField>
        <TextField
          select
          label={texts.view}
          value={filters.view}
          onChange={({ target }) => onChange({ ...filters, view: target.value as Filters['view'] })}
        >
          {(['entries', 'balances'] as const).map((view) => (
            <MenuItem key={view} value={view}>
              {texts[view]}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          select
          label={texts.kind}
          value={filters.kind}
          onChange={({ target }) => onChange({ ...filters, kind: target.value as Filters['kind'] })}
        >
          <MenuItem value="all">{texts.allKinds}</MenuItem>
          {ledgerKinds.map((kind) => (
            <MenuItem key={kind} value={kind}>
              {texts.kinds[kind]}
            </MenuItem>
          ))}
        </TextField>
      </Box>
      {error !== undefined && <FormHelperText error>{error}</FormHelperText>}
    </Box>
  );
}

/** Today, the week from Sunday, and the month, each up to its last day. */
function rangesOf(day: string) {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const sunday = addDays(day, -weekday);
  const first = `${day.slice(0, 8)}01`;
  const nextMonth = addDays(first, 31).slice(0, 8);
  return [
    { label: texts.day, from: day, to: day },
    { label: texts.week, from: sunday, to: addDays(sunday, 6) },
    { label: texts.month, from: first, to: addDays(`${nextMonth}01`, -1) },
  ];
}
