import { Switch } from '@mui/material';
import { ToggleField } from './ToggleField.tsx';
import type { FieldProps } from './use-field.ts';

/** An on/off switch. */
export const SwitchInput = (props: FieldProps) => <ToggleField {...props} control={Switch} />;
