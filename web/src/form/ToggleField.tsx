import { type Checkbox, FormControl, FormControlLabel, FormHelperText, type Switch } from '@mui/material';
import { type FieldProps, useField } from './use-field.ts';

/** A boolean field, rendered by the given control. */
export function ToggleField({ control: Control, ...props }: FieldProps & { control: typeof Checkbox | typeof Switch }) {
  const { label, hint, disabled } = props;
  const { field, error } = useField(props);
  return (
    <FormControl error={error !== undefined}>
      <FormControlLabel
        label={label}
        disabled={disabled ?? false}
        sx={{ minHeight: 44 }}
        control={
          <Control
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
