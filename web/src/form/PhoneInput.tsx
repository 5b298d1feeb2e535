import { TextField } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import { PatternFormat } from 'react-number-format';
import { Foot, inputSlots } from './TextInput.tsx';
import { texts } from './texts.ts';
import { type FieldProps, useField } from './use-field.ts';

/** A US phone number: shown as (212) 555-0100, stored as ten digits; the hint counts them (VALID-8, VALID-24). */
export function PhoneInput(props: FieldProps & { autoFocus?: boolean }) {
  const { label, hint = texts.phoneNote, required, disabled, readOnly } = props;
  const { field, error } = useField(props);
  const value = String(field.value ?? '');
  return (
    <PatternFormat
      format="(###) ###-####"
      customInput={TextField}
      valueIsNumericString
      name={field.name}
      value={value}
      onValueChange={(next, { source }) => {
        if (source === 'event') field.onChange(next.value);
      }}
      onBlur={field.onBlur}
      inputRef={field.ref}
      label={label}
      type="tel"
      required={required ?? false}
      disabled={disabled ?? false}
      autoFocus={props.autoFocus ?? false}
      fullWidth
      error={error !== undefined}
      helperText={<Foot error={error} hint={hint} count={texts.counter(value.length, limits.phone)} />}
      slotProps={inputSlots({ readOnly, inputMode: 'tel', autoComplete: 'tel-national' })}
    />
  );
}
