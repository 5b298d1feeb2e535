import { Checkbox, FormControl, FormControlLabel, FormHelperText } from '@mui/material';
import { type FieldProps, useField } from './use-field.ts';

/** Ticked or not; takes effect when the form is saved. */
export function CheckboxInput(props: FieldProps) {
  const { label, hint, disabled } = props;
  const { field, error } = useField(props);
  return (
    <FormControl error={error !== undefined}>
      <FormControlLabel
        label={label}
        disabled={disabled ?? false}
        sx={{ minHeight: 44 }}
        control={
          <Checkbox
            name={field.name}
            checked={Boolean(field.value)}
            onChange={(_, checked) => field.onChange(checked)}
            onBlur={field.onBlur}
            slotProps={{ input: { ref: field.ref } }}
          />
        }
      />
      {(error ?? hint) && <FormHelperText>{error ?? hint}</FormHelperText>}
    </FormControl>
  );
}
