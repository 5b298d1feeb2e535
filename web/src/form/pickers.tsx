import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import { DatePicker } from '@mui/x-date-pickers/DatePicker';
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider';
import { TimePicker } from '@mui/x-date-pickers/TimePicker';
import dayjs, { type Dayjs } from 'dayjs';
import { type Ref, useState } from 'react';
import { Foot } from './TextInput.tsx';

/**
 * The pickers exchange wall times as text; dayjs only parses and formats them here. An incomplete value is reported as
 * 'unfinished', which no schema accepts.
 */
const unfinished = 'unfinished';

interface Common {
  label: string;
  value: string;
  hint: string | undefined;
  error: string | undefined;
  required: boolean;
  disabled: boolean;
  readOnly: boolean;
  inputRef?: Ref<HTMLInputElement>;
  onChange: (value: string) => void;
  onBlur?: () => void;
}

/** Keeps incomplete input, and follows the form otherwise. */
function useWall(
  value: string,
  parse: (text: string) => Dayjs,
  format: (wall: Dayjs) => string,
  onChange: (value: string) => void,
) {
  const [own, setOwn] = useState<{ text: string; wall: Dayjs | null }>({
    text: value,
    wall: value ? parse(value) : null,
  });
  const shown = own.text === value ? own.wall : value ? parse(value) : null;
  const change = (wall: Dayjs | null) => {
    const text = wall === null ? '' : wall.isValid() ? format(wall) : unfinished;
    setOwn({ text, wall });
    onChange(text);
  };
  return { shown, change };
}

function fieldSlots({ error, hint, required, inputRef, onBlur }: Common) {
  return {
    textField: {
      error: error !== undefined,
      helperText: <Foot error={error} hint={hint} />,
      required,
      fullWidth: true,
      ...(inputRef && { inputRef }),
      ...(onBlur && { onBlur }),
      // The pickers' separate outline, in the colors of the other fields.
      sx: {
        '& .MuiPickersOutlinedInput-root:not(.Mui-focused, .Mui-error, :hover) .MuiPickersOutlinedInput-notchedOutline':
          {
            borderColor: 'var(--rs-line-strong)',
          },
      },
    },
  } as const;
}

interface WallDateProps extends Common {
  min: string | undefined;
  max: string | undefined;
  farAway: boolean;
}

export function WallDatePicker(props: WallDateProps) {
  const { shown, change } = useWall(
    props.value,
    (text) => dayjs(text),
    (wall) => wall.format('YYYY-MM-DD'),
    props.onChange,
  );
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <DatePicker
        label={props.label}
        value={shown}
        onChange={change}
        disabled={props.disabled}
        readOnly={props.readOnly}
        format="MM/DD/YYYY"
        slotProps={fieldSlots(props)}
        {...(props.min ? { minDate: dayjs(props.min) } : {})}
        {...(props.max ? { maxDate: dayjs(props.max) } : {})}
        {...(props.farAway ? { openTo: 'year' as const, views: ['year', 'month', 'day'] as const } : {})}
      />
    </LocalizationProvider>
  );
}

export function WallTimePicker(props: Common & { stepMinutes: number; isEnd: boolean }) {
  const endOf = (text: string) => (props.isEnd && text === '00:00' ? '24:00' : text);
  const { shown, change } = useWall(
    props.value,
    (text) => dayjs(`2000-01-01T${text}`),
    (wall) => endOf(wall.format('HH:mm')),
    props.onChange,
  );
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <TimePicker
        label={props.label}
        value={shown}
        onChange={change}
        disabled={props.disabled}
        readOnly={props.readOnly}
        ampm
        timeSteps={{ minutes: props.stepMinutes }}
        slotProps={fieldSlots(props)}
      />
    </LocalizationProvider>
  );
}
