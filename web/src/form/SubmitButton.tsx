import type { ReactNode } from 'react';
import { useFormContext, useFormState } from 'react-hook-form';
import { Button } from '../ui/Button.tsx';
import { texts } from './texts.ts';

/** The form's main button; shows progress while the form is submitted. */
export function SubmitButton({ children = texts.save, disabled }: { children?: ReactNode; disabled?: boolean }) {
  const { isSubmitting } = useFormState({ control: useFormContext().control });
  return (
    <Button
      look="primary"
      type="submit"
      loading={isSubmitting}
      loadingPosition="start"
      startIcon={null}
      disabled={disabled ?? false}
    >
      {children}
    </Button>
  );
}
