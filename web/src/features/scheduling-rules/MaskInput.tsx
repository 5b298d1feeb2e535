import { Box, Checkbox, FormControl, FormControlLabel, FormHelperText, FormLabel } from '@mui/material';
import { hasBit, withBit } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { useField } from '../../form/use-field.ts';

interface Props {
  name: string;
  label: string;
  /** The options with the numbers of their bits (ENTITY-14). */
  options: readonly { bit: number; label: string }[];
  disabled: boolean;
  /** Narrow boxes for numbers. */
  small?: boolean;
}

/** A bit mask as checkboxes; also beyond 32 bits. */
export function MaskInput({ name, label, options, disabled, small = false }: Props) {
  const { field, error } = useField({ name, label });
  const mask = Number(field.value ?? 0);
  return (
    <FormControl component="fieldset" error={error !== undefined} disabled={disabled}>
      <FormLabel component="legend">{label}</FormLabel>
      <Box
        sx={{
          display: 'grid',
          gridTemplateColumns: `repeat(auto-fill, minmax(${small ? 88 : 132}px, 1fr))`,
          alignItems: 'start',
        }}
      >
        {options.map(({ bit, label: name_ }, index) => (
          <FormControlLabel
            key={bit}
            label={name_}
            sx={{ minHeight: 44, mr: 0 }}
            control={
              <Checkbox
                checked={hasBit(mask, bit)}
                onChange={(_, on) => field.onChange(withBit(mask, bit, on))}
                onBlur={field.onBlur}
                slotProps={{ input: index === 0 ? { ref: field.ref } : {} }}
              />
            }
          />
        ))}
      </Box>
      {error && <FormHelperText>{error}</FormHelperText>}
    </FormControl>
  );
}
