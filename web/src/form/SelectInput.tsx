import { MenuItem, TextField } from '@mui/material';
import { Foot } from './TextInput.tsx';
import { type FieldProps, useField } from './use-field.ts';

interface Props<V extends string | number> extends FieldProps {
  options: readonly { value: V; label: string; disabled?: boolean }[];
  onPicked?: (value: V) => void;
}

/** One of a few options. */
export function SelectInput<V extends string | number>(props: Props<V>) {
  const { label, hint, required, disabled, readOnly, options } = props;
  const { field, error } = useField(props);
  const known = options.some(({ value }) => value === field.value);
  return (
    <TextField
      select
      name={field.name}
      inputRef={field.ref}
      label={label}
      value={known ? field.value : ''}
      onBlur={field.onBlur}
      onChange={(event) => {
        field.onChange(event.target.value);
        props.onPicked?.(event.target.value as V);
      }}
      required={required ?? false}
      disabled={disabled ?? false}
      fullWidth
      error={error !== undefined}
      helperText={<Foot error={error} hint={hint} />}
      slotProps={{ input: { readOnly: readOnly ?? false } }}
    >
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value} disabled={option.disabled ?? false}>
          {option.label}
        </MenuItem>
      ))}
    </TextField>
  );
}
