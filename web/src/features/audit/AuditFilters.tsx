import { Autocomplete, Box, MenuItem, TextField } from '@mui/material';
import { auditKinds } from '@roomside/contract/audit/actions.ts';
import { searchDebounceMs } from '@roomside/contract/limits.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { listUsers } from '@roomside/contract/users/calls.ts';
import { useEffect, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { useRead } from '../../api/use-call.ts';
import { LooseDateInput } from '../../form/DateInput.tsx';
import { texts } from './texts.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

export interface Filters {
  readonly person: Named | null;
  readonly patient: Named | null;
  /** 'YYYY-MM-DD', '' or what is typed so far. */
  readonly from: string;
  readonly to: string;
  readonly kind: (typeof auditKinds)[number] | 'all';
}

interface Props {
  filters: Filters;
  onChange: (filters: Filters) => void;
  /** A Super has no patients. */
  hasPatients: boolean;
}

const top = 20;

/** What the log is filtered by. */
export function AuditFilters({ filters, onChange, hasPatients }: Props) {
  return (
    <Box
      role="group"
      aria-label={texts.filters}
      sx={{
        display: { xs: 'grid', sm: 'flex' },
        gap: 2,
        // On a phone the two dates are beside each other.
        gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
        flexWrap: 'wrap',
        '& > *': { flex: '1 1 180px', minWidth: 0 },
        '& > .wide': { gridColumn: 'span 2' },
      }}
    >
      <NameFilter
        label={texts.person}
        placeholder={texts.anyone}
        value={filters.person}
        onChange={(person) => onChange({ ...filters, person })}
        useFound={useUsers}
      />
      {hasPatients && (
        <NameFilter
          label={texts.patient}
          placeholder={texts.allPatients}
          value={filters.patient}
          onChange={(patient) => onChange({ ...filters, patient })}
          useFound={usePatients}
        />
      )}
      <LooseDateInput label={texts.from} value={filters.from} onChange={(from) => onChange({ ...filters, from })} />
      <LooseDateInput label={texts.to} value={filters.to} onChange={(to) => onChange({ ...filters, to })} />
      <TextField
        select
        className="wide"
        label={texts.kind}
        value={filters.kind}
        onChange={({ target }) => onChange({ ...filters, kind: target.value as Filters['kind'] })}
      >
        {(['all', ...auditKinds] as const).map((kind) => (
          <MenuItem key={kind} value={kind}>
            {texts.kinds[kind]}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  );
}

interface NameProps {
  label: string;
  placeholder: string;
  value: Named | null;
  onChange: (value: Named | null) => void;
  /** The people whom the server finds by a text. */
  useFound: (filter: string, isOpen: boolean) => Found;
}

/** One person, searched on the server. */
interface Found {
  found: readonly Named[];
  error: Error | null;
}

function NameFilter({ label, placeholder, value, onChange, useFound }: NameProps) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [filter, setFilter] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setFilter(typed.trim()), searchDebounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { found, error } = useFound(filter, isOpen);
  return (
    <Autocomplete<Named>
      className="wide"
      options={found}
      value={value}
      onOpen={() => setOpen(true)}
      onClose={() => setOpen(false)}
      // The server has filtered by more than the name.
      filterOptions={(options) => options}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      onInputChange={(_, text, reason) => setTyped(reason === 'input' ? text : '')}
      onChange={(_, next) => onChange(next)}
      noOptionsText={error ? wordsFor(error) : texts.noOptions}
      renderInput={(props) => <TextField {...props} label={label} placeholder={placeholder} />}
    />
  );
}

const toNamed = (id: number, { firstName, lastName }: { firstName: string; lastName: string }): Named => ({
  id,
  name: `${firstName} ${lastName}`,
});

function useUsers(filter: string, enabled: boolean): Found {
  const query = { top, skip: 0, ...(filter && { filter }) };
  const { data, error } = useRead(listUsers, { query }, { enabled, keepPrevious: true });
  return { found: (data?.data ?? []).map((user) => toNamed(user.userId, user)), error };
}

function usePatients(filter: string, enabled: boolean): Found {
  const query = { top, skip: 0, ...(filter && { filter }) };
  const { data, error } = useRead(listPatients, { query }, { enabled, keepPrevious: true });
  return { found: (data?.data ?? []).map((patient) => toNamed(patient.patientId, patient)), error };
}
