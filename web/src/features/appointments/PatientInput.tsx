import { Autocomplete, Box, TextField } from '@mui/material';
import { searchDebounceMs } from '@roomside/contract/limits.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { useEffect, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { useRead } from '../../api/use-call.ts';
import { Foot } from '../../form/TextInput.tsx';
import { useField } from '../../form/use-field.ts';
import { formatDate } from '../../time/time.ts';
import { texts } from './edit-texts.ts';

export interface Person {
  patientId: number;
  firstName: string;
  lastName: string;
  doB?: string | null;
}

interface Props {
  /** Patients whose names are loaded: the appointment's own. */
  known: readonly Person[];
}

/** CONST-1. */
const top = 20;

/** The form's patient: searched on the server while typing. */
export function PatientInput({ known }: Props) {
  const { field, error } = useField({ name: 'patientId', label: texts.patient });
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const filter = useDebounced(typed.trim());
  const [picked, setPicked] = useState<Person>();
  const query = { top, skip: 0, orderBy: 'lastName asc' as const, ...(filter && { filter }) };
  const found = useRead(listPatients, { query }, { enabled: open, keepPrevious: true });
  const options: readonly Person[] = found.data?.data ?? [];
  /** False while the options are those of an earlier text. */
  const isFound = filter === typed.trim() && !found.isPlaceholderData;
  const people = [...(picked ? [picked] : []), ...options, ...known];
  const value = people.find(({ patientId }) => patientId === field.value) ?? null;

  return (
    <Autocomplete<Person>
      value={value}
      options={options}
      open={open}
      onOpen={() => setOpen(true)}
      onClose={() => {
        setOpen(false);
        setTyped('');
      }}
      onInputChange={(_, text, reason) => {
        if (reason === 'input' || reason === 'clear') setTyped(text);
      }}
      onChange={(_, person) => {
        setPicked(person ?? undefined);
        field.onChange(person?.patientId ?? 0);
      }}
      onBlur={field.onBlur}
      // Enter takes the first option, which must not be one of an earlier text.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !open || isFound) return;
        event.preventDefault();
        event.defaultMuiPrevented = true;
      }}
      // The server has filtered by more than the label.
      filterOptions={(all) => all}
      isOptionEqualToValue={(a, b) => a.patientId === b.patientId}
      getOptionKey={({ patientId }) => patientId}
      getOptionLabel={({ firstName, lastName }) => `${lastName}, ${firstName}`}
      renderOption={({ key, ...props }, { firstName, lastName, doB }) => (
        <Box component="li" key={key} {...props} sx={{ display: 'flex', gap: 1.5, minHeight: 44 }}>
          <span>
            {lastName}, {firstName}
          </span>
          {doB && (
            <Box
              component="span"
              sx={{ color: 'text.secondary', ml: 'auto !important', fontSize: 'var(--rs-size-sm)' }}
            >
              {texts.born(formatDate(doB))}
            </Box>
          )}
        </Box>
      )}
      loading={found.isFetching}
      loadingText={texts.searching}
      noOptionsText={found.error ? wordsFor(found.error) : texts.noPatients}
      autoHighlight={filter !== ''}
      fullWidth
      renderInput={(params) => (
        <TextField
          {...params}
          label={texts.patient}
          required
          inputRef={field.ref}
          error={error !== undefined}
          helperText={<Foot error={error} hint={texts.patientHint} />}
        />
      )}
    />
  );
}

/** Returns the value once it has not changed for the debounce time (CONST-1). */
function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value ? searchDebounceMs : 0);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
