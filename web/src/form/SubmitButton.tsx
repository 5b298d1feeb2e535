import { Button } from '@mui/material';
import type { ReactNode } from 'react';
import { useFormContext, useFormState } from 'react-hook-form';
import { texts } from './texts.ts';

/** The form's main button; shows progress while the form is submitted. */
export function SubmitButton({ children = texts.save, disabled }: { children?: ReactNode; disabled?: boolean }) {
  const { isSubmitting } = useFormState({ control: useFormContext().control });
  return (
    <Button
      type="submit"
      variant="contained"
      loading={isSubmitting}
      loadingPosition="start"
      startIcon={null}
      disabled={disabled ?? false}
    >
      {children}
    </Button>
  );
}
