import type { ReactNode } from 'react';
import { useFormContext, useFormState } from 'react-hook-form';
import { Button, type ButtonLook } from '../ui/Button.tsx';
import { texts } from './texts.ts';

interface Props {
  look?: ButtonLook;
  children?: ReactNode;
  disabled?: boolean;
  /** The form's id when the button is outside of it. */
  form?: string;
}

/** The form's main button; shows progress while the form is submitted. */
export function SubmitButton({ look = 'primary', children = texts.save, disabled = false, form }: Props) {
  const { isSubmitting } = useFormState({ control: useFormContext().control });
  return (
    <Button
      look={look}
      type="submit"
      {...(form !== undefined && { form })}
      loading={isSubmitting}
      loadingPosition="start"
      startIcon={null}
      disabled={disabled}
    >
      {children}
    </Button>
  );
}
