import { InputAdornment, TextField } from '@mui/material';
import { NumericFormat } from 'react-number-format';
import { Foot, inputSlots } from './TextInput.tsx';
import { type FieldProps, useField } from './use-field.ts';

/** An amount in the contract's format: a decimal text with at most two places. */
export function MoneyInput(props: FieldProps & { currency?: string }) {
  const { label, hint, required, disabled, readOnly, currency = 'USD' } = props;
  const { field, error } = useField(props);
  return (
    <NumericFormat
      customInput={TextField}
      valueIsNumericString
      decimalScale={2}
      allowNegative={false}
      thousandSeparator=","
      name={field.name}
      value={String(field.value ?? '')}
      onValueChange={(next, { source }) => {
        if (source === 'event') field.onChange(next.value);
      }}
      onBlur={field.onBlur}
      inputRef={field.ref}
      label={label}
      required={required ?? false}
      disabled={disabled ?? false}
      fullWidth
      error={error !== undefined}
      helperText={<Foot error={error} hint={hint} />}
      slotProps={inputSlots({
        readOnly,
        inputMode: 'decimal',
        startAdornment: <InputAdornment position="start">{symbolOf(currency)}</InputAdornment>,
      })}
    />
  );
}

function symbolOf(currency: string): string {
  const parts = new Intl.NumberFormat('en-US', { style: 'currency', currency }).formatToParts(0);
  return parts.find(({ type }) => type === 'currency')?.value ?? currency;
}
