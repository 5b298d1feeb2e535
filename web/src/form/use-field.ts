import { useController } from 'react-hook-form';
import { useLabel } from './Form.tsx';

export interface FieldProps {
  /** The path in the form's values, e.g. 'patientPhones.0.phone'. */
  name: string;
  label: string;
  hint?: string | undefined;
  required?: boolean;
  disabled?: boolean;
  /** Selectable, not editable. */
  readOnly?: boolean;
}

/** Binds a field to its form: value, error text, and label for the summary. */
export function useField({ name, label }: FieldProps) {
  const { field, fieldState } = useController({ name });
  useLabel(name, label);
  return { field, error: fieldState.error?.message };
}
