import { Switch } from '@mui/material';
import { ToggleField } from './ToggleField.tsx';
import type { FieldProps } from './use-field.ts';

/** On or off. */
export const SwitchInput = (props: FieldProps) => <ToggleField {...props} control={Switch} />;
