import { TextField } from '@mui/material';
import { later } from '../ui/later.tsx';
import { Foot } from './TextInput.tsx';
import { type FieldProps, useField } from './use-field.ts';

interface DateProps extends FieldProps {
  /** 'YYYY-MM-DD'. */
  min?: string;
  max?: string;
  /** Starts with the year, for dates of birth. */
  farAway?: boolean;
}

interface TimeProps extends FieldProps {
  /** Interval of the list's times. */
  stepMinutes?: number;
  /** The end of a period within a day: 12:00 AM is '24:00'. */
  isEnd?: boolean;
}

// The pickers are large, so they are loaded separately.
const DatePicker = later(async () => (await import('./pickers.tsx')).WallDatePicker, placeholder);
const TimePicker = later(async () => (await import('./pickers.tsx')).WallTimePicker, placeholder);

/** A date, typed or picked; its value is 'YYYY-MM-DD' or ''. */
export function DateInput(props: DateProps) {
  const { field, error } = useField(props);
  const common = pickerProps(props, field.value, error);
  return (
    <DatePicker
      {...common}
      inputRef={field.ref}
      onChange={field.onChange}
      onBlur={field.onBlur}
      min={props.min}
      max={props.max}
      farAway={props.farAway ?? false}
    />
  );
}

interface LooseDateProps {
  label: string;
  /** 'YYYY-MM-DD'. */
  value: string;
  /** Gets 'YYYY-MM-DD', '' or, for an incomplete date, another text. */
  onChange: (value: string) => void;
  min?: string;
  max?: string;
}

/** The same field outside of a form. */
export function LooseDateInput({ label, value, onChange, min, max }: LooseDateProps) {
  const common = pickerProps({ name: '', label }, value, undefined);
  return <DatePicker {...common} onChange={onChange} min={min} max={max} farAway={false} />;
}

/** A wall time, typed or picked; its value is 'HH:mm' or '', that of an end also '24:00'. */
export function TimeInput(props: TimeProps) {
  const { field, error } = useField(props);
  const common = pickerProps(props, field.value, error);
  return (
    <TimePicker
      {...common}
      inputRef={field.ref}
      onChange={field.onChange}
      onBlur={field.onBlur}
      stepMinutes={props.stepMinutes ?? 5}
      isEnd={props.isEnd ?? false}
    />
  );
}

function pickerProps(props: FieldProps, value: unknown, error: string | undefined) {
  const { label, hint, required = false, disabled = false, readOnly = false } = props;
  return { label, hint, required, disabled, readOnly, error, value: typeof value === 'string' ? value : '' };
}

function placeholder({ label, value, hint, error, required }: ReturnType<typeof pickerProps>) {
  return (
    <TextField
      label={label}
      value={value}
      required={required}
      helperText={<Foot error={error} hint={hint} />}
      disabled
      fullWidth
    />
  );
}
