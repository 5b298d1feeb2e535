import { Alert, Box, Checkbox, FormControlLabel, MenuItem, TextField, Typography } from '@mui/material';
import {
  type CsvColumns,
  type CsvDefinition,
  cancelCsvImport,
  checkCsv,
  getCsvColumns,
  getCsvImport,
  getCsvProgress,
} from '@roomside/contract/csv-import/calls.ts';
import {
  type Field,
  fieldsOf,
  type ImportType,
  mappingOf,
  missingFields,
} from '@roomside/contract/csv-import/fields.ts';
import { problemTexts } from '@roomside/contract/csv-import/problems.ts';
import { dateOrders, encodings, nameCases, separators, shortYears } from '@roomside/contract/csv-import/reading.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { type ReactNode, useState } from 'react';
import { useChange, useRead } from '../../api/use-call.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { Preview } from './Preview.tsx';
import { Note, Step, Tools } from './Step.tsx';
import { texts } from './texts.ts';

interface Props {
  fileId: number;
  follows: boolean;
  /** The file is given up. */
  onBack: () => void;
  onStarted: () => void;
}

/** CSV-3: a column for each field, beside the first rows as they will be read. */
export function MapStep(props: Props) {
  const { fileId } = props;
  const stored = useRead(getCsvImport, { params: { fileId } }, { staleTime: Number.POSITIVE_INFINITY });
  const [chosen, setChosen] = useState<CsvDefinition>();
  const definition = chosen ?? stored.data?.definition;
  const { encoding = 'utf-8', separator = ',' } = definition ?? {};
  const columns = useRead(
    getCsvColumns,
    { params: { fileId }, query: { encoding, separator } },
    { enabled: definition !== undefined, keepPrevious: true, staleTime: Number.POSITIVE_INFINITY },
  );
  const discard = useChange(cancelCsvImport, { onSuccess: props.onBack });
  const back = () => discard.mutate({ params: { fileId }, body: { keep: false } });
  const failed = stored.error ?? columns.error;
  const title = texts.steps[1];
  if (failed)
    return (
      <Step title={title} follows={props.follows}>
        <LoadError
          error={failed}
          onRetry={() => void Promise.all([stored.error && stored.refetch(), columns.error && columns.refetch()])}
        />
        <Tools>
          <Button look="quiet" onClick={back}>
            {texts.back}
          </Button>
        </Tools>
      </Step>
    );
  if (!definition || !columns.data) return <FormSkeleton sections={[6, 3]} />;
  // Another encoding or separator shows other columns: they are guessed again, until the user maps them.
  const isOther = chosen !== undefined && chosen.fields.length === 0;
  const shown =
    isOther && !columns.isPlaceholderData ? { ...columns.data.definition, encoding, separator } : definition;
  return <Mapping {...props} onBack={back} columns={columns.data} definition={shown} onChange={setChosen} />;
}

interface MappingProps extends Props {
  columns: CsvColumns;
  definition: CsvDefinition;
  onChange: (definition: CsvDefinition) => void;
}

function Mapping({ fileId, follows, onBack, onStarted, columns, definition, onChange }: MappingProps) {
  const [isTried, setTried] = useState(false);
  const check = useChange(checkCsv, { invalidates: [getCsvProgress, getCsvImport], onSuccess: onStarted });
  const mapping = mappingOf(definition.fields);
  const { type } = columns;
  const missing = missingFields(mapping, type);
  const set = (changes: Partial<CsvDefinition>) => onChange({ ...definition, ...changes });
  function map(name: Field['name'], columnIdx: number | null) {
    setTried(true);
    set({
      fields: fieldsOf[type].map((field) => ({
        name: field.name,
        columnIdx: field.name === name ? columnIdx : mapping[field.name],
      })),
    });
  }
  function upload() {
    setTried(true);
    if (missing.length === 0) check.mutate({ body: { ...definition, fileId } });
  }
  return (
    <Step title={texts.steps[1]} follows={follows}>
      <Note>{texts.mapText}</Note>
      <FileSettings columns={columns} definition={definition} onChange={onChange} />
      <FormControlLabel
        control={<Checkbox checked={definition.hasHeader} onChange={(_event, hasHeader) => set({ hasHeader })} />}
        label={texts.hasHeader}
        sx={{ mr: 0 }}
      />
      <div className="csv-map">
        <fieldset className="csv-fields">
          <legend>{texts.fields}</legend>
          {fieldsOf[type].map((field) => (
            <ColumnSelect
              key={field.name}
              field={field}
              value={mapping[field.name]}
              columns={columns}
              hasHeader={definition.hasHeader}
              error={isTried && missing.includes(field) ? errorOf(type, field) : undefined}
              onChange={(columnIdx) => map(field.name, columnIdx)}
            />
          ))}
          {mapping.firstName !== null && mapping.firstName === mapping.lastName && (
            <Alert severity="info">{texts.oneNameColumn}</Alert>
          )}
        </fieldset>
        <Box className="csv-preview">
          <Typography sx={{ fontWeight: 600, pb: 1.5 }}>{texts.preview}</Typography>
          <Preview columns={columns} definition={definition} />
        </Box>
      </div>
      {type === 'Appointment' && (
        <FormControlLabel
          control={
            <Checkbox
              checked={definition.sendReminders ?? false}
              onChange={(_event, sendReminders) => set({ sendReminders })}
              slotProps={{ input: { 'aria-describedby': 'csv-reminders' } }}
            />
          }
          label={texts.sendReminders}
          sx={{ mr: 0 }}
        />
      )}
      {type === 'Appointment' && (
        <Note>
          <span id="csv-reminders">{texts.sendRemindersNote}</span>
        </Note>
      )}
      <Tools>
        <Button look="quiet" onClick={onBack}>
          {texts.back}
        </Button>
        <Button look="primary" disabled={check.isPending} onClick={upload}>
          {texts.upload}
        </Button>
      </Tools>
    </Step>
  );
}

/** VALID-29. */
function errorOf(type: ImportType, { requiredInGroup }: Field): string {
  if (requiredInGroup === 0) return fieldTexts.required;
  return type === 'Appointment' ? problemTexts['patient-needed']() : fieldTexts.contact;
}

interface SettingsProps {
  columns: CsvColumns;
  definition: CsvDefinition;
  onChange: (definition: CsvDefinition) => void;
}

function FileSettings({ columns: { today, type }, definition, onChange }: SettingsProps) {
  const set = (changes: Partial<CsvDefinition>) => onChange({ ...definition, ...changes });
  return (
    <Box className="csv-settings" role="group" aria-label={texts.fileSettings}>
      <Choice
        label={texts.encoding}
        value={definition.encoding}
        values={encodings}
        names={texts.encodings}
        onChange={(encoding) => set({ encoding, fields: [] })}
      />
      <Choice
        label={texts.separator}
        value={definition.separator}
        values={separators}
        names={texts.separators}
        onChange={(separator) => set({ separator, fields: [] })}
      />
      <Choice
        label={texts.dateOrder}
        value={definition.dateOrder}
        values={dateOrders}
        names={texts.dateOrders}
        onChange={(dateOrder) => set({ dateOrder })}
      />
      {type !== 'WeeklyHours' && (
        <Choice
          label={texts.shortYears(today.slice(2, 4))}
          value={definition.shortYears}
          values={shortYears}
          names={texts.yearRules}
          onChange={(rule) => set({ shortYears: rule })}
        />
      )}
      {type === 'Patient' && (
        <Choice
          label={texts.nameCase}
          value={definition.nameCase}
          values={nameCases}
          names={texts.nameCases}
          onChange={(nameCase) => set({ nameCase })}
        />
      )}
    </Box>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  values: readonly V[];
  names: Record<V, string>;
  onChange: (value: V) => void;
}

function Choice<V extends string>({ label, value, values, names, onChange }: ChoiceProps<V>): ReactNode {
  return (
    <TextField select size="small" label={label} value={value} onChange={(event) => onChange(event.target.value as V)}>
      {values.map((one) => (
        <MenuItem key={one} value={one}>
          {names[one]}
        </MenuItem>
      ))}
    </TextField>
  );
}

interface ColumnSelectProps {
  field: Field;
  value: number | null;
  columns: CsvColumns;
  hasHeader: boolean;
  error: string | undefined;
  onChange: (columnIdx: number | null) => void;
}

function ColumnSelect({ field, value, columns, hasHeader, error, onChange }: ColumnSelectProps) {
  const known = columns.columns.some(({ columnIdx }) => columnIdx === value);
  return (
    <TextField
      select
      size="small"
      label={field.description}
      required={field.requiredInGroup === 0}
      value={known && value !== null ? String(value) : ''}
      error={error !== undefined}
      helperText={error}
      onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
      slotProps={{ select: { displayEmpty: true } }}
    >
      <MenuItem value="">{texts.notMapped}</MenuItem>
      {columns.columns.map(({ columnIdx, header }) => (
        <MenuItem key={columnIdx} value={String(columnIdx)}>
          {(hasHeader && header) || texts.column(columnIdx + 1)}
        </MenuItem>
      ))}
    </TextField>
  );
}
