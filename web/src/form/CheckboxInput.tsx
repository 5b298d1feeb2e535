import { Checkbox } from '@mui/material';
import { ToggleField } from './ToggleField.tsx';
import type { FieldProps } from './use-field.ts';

/** A checkbox; takes effect when the form is saved. */
export const CheckboxInput = (props: FieldProps) => <ToggleField {...props} control={Checkbox} />;
