import { Box, TextField, type TextFieldProps } from '@mui/material';
import { fieldTexts } from '@roomside/contract/texts.ts';
import type { ReactNode } from 'react';
import { texts } from './texts.ts';
import { type FieldProps, useField } from './use-field.ts';

interface Props extends FieldProps {
  maxLength?: number;
  /** Shows 'n/maxLength'. */
  counter?: boolean;
  multiline?: boolean;
  rows?: number;
  type?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'tel' | 'url';
  endAdornment?: ReactNode;
  /** Accepts digits only. */
  digits?: boolean;
}

/** One or several lines of text. */
export function TextInput(props: Props) {
  const { label, hint, required, disabled, readOnly, maxLength, counter, digits } = props;
  const { field, error } = useField(props);
  const value = String(field.value ?? '');
  return (
    <TextField
      name={field.name}
      inputRef={field.ref}
      label={label}
      value={value}
      onBlur={field.onBlur}
      onChange={(event) => field.onChange(digits ? event.target.value.replace(/\D/g, '') : event.target.value)}
      error={error !== undefined}
      helperText={
        <Foot
          error={error}
          hint={hint}
          count={counter && maxLength ? texts.counter(value.length, maxLength) : undefined}
        />
      }
      required={required ?? false}
      disabled={disabled ?? false}
      fullWidth
      multiline={props.multiline ?? false}
      {...(props.rows ? { minRows: props.rows } : {})}
      type={props.type ?? 'text'}
      autoFocus={props.autoFocus ?? false}
      slotProps={inputSlots({
        maxLength,
        readOnly,
        autoComplete: props.autoComplete,
        inputMode: digits ? 'numeric' : props.inputMode,
        endAdornment: props.endAdornment,
      })}
    />
  );
}

interface Slots {
  maxLength?: number | undefined;
  readOnly?: boolean | undefined;
  autoComplete?: string | undefined;
  inputMode?: Props['inputMode'] | undefined;
  endAdornment?: ReactNode;
  startAdornment?: ReactNode;
}

/** The slots of a text field's input and helper line, shared with the formatted fields. */
export function inputSlots({
  endAdornment,
  startAdornment,
  readOnly,
  ...html
}: Slots): NonNullable<TextFieldProps['slotProps']> {
  return {
    htmlInput: { ...html, autoComplete: html.autoComplete ?? 'off' },
    input: { endAdornment, startAdornment, readOnly: readOnly ?? false },
  };
}

/** The line below a field: its error or hint, and a counter. With the bare error 'Invalid' the hint stays, as it says why. */
export function Foot({
  error,
  hint,
  count,
}: {
  error?: string | undefined;
  hint?: string | undefined;
  count?: string | undefined;
}) {
  if (!error && !hint && !count) return null;
  return (
    <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 2 }}>
      <span>
        {error ?? hint}
        {error === fieldTexts.invalid && hint && (
          <Box component="span" sx={{ display: 'block', color: 'text.secondary' }}>
            {hint}
          </Box>
        )}
      </span>
      {count && (
        <Box component="span" sx={{ fontVariantNumeric: 'tabular-nums' }}>
          {count}
        </Box>
      )}
    </Box>
  );
}

/** An email address (VALID-7, VALID-23). */
export function EmailInput(props: FieldProps & { autoFocus?: boolean; autoComplete?: string }) {
  return <TextInput {...props} type="email" inputMode="email" maxLength={100} />;
}
