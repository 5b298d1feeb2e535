import { Alert, Box, Link } from '@mui/material';
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { type FieldErrors, type FieldPath, type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form';
import { wordsFor } from '../api/errors.ts';
import { ProblemError } from '../api/problem.ts';
import { useIsPageOpen } from '../page-of-call.ts';
import { toast } from '../ui/toast.ts';
import { texts } from './texts.ts';

/** The labels of the rendered fields, by path. */
const LabelsContext = createContext<Map<string, string>>(new Map());

/** Registers a field's label for the summary. */
export function useLabel(name: string, label: string): void {
  const labels = use(LabelsContext);
  useEffect(() => {
    labels.set(name, label);
    return () => void labels.delete(name);
  }, [labels, name, label]);
}

interface Props<T extends FieldValues> {
  form: UseFormReturn<T>;
  /** Sends the values. Its errors are shown at the fields or above them; it may handle refusals itself. */
  onSubmit: (values: T) => Promise<void>;
  /** For buttons outside of the form. */
  id?: string;
  children: ReactNode;
}

/** A form: validates, submits, and shows each error at its field or in the summary; after its page was left, in a toast. */
export function Form<T extends FieldValues>({ form, onSubmit, id, children }: Props<T>) {
  const [failure, setFailure] = useState<string>();
  const isPageOpen = useIsPageOpen();
  const labels = useMemo(() => new Map<string, string>(), []);

  const submit = form.handleSubmit(
    async (values) => {
      setFailure(undefined);
      try {
        await onSubmit(values);
      } catch (error) {
        const fields = error instanceof ProblemError ? error.fields : {};
        if (!isPageOpen()) {
          const words = [...new Set([wordsFor(error), ...Object.values(fields)])].join(' ');
          return void toast.error(texts.notSaved(words), { across: 'all' });
        }
        const left = placeFieldErrors(form, fields, labels);
        toast.dismissSuccess();
        setFailure(summaryOf(wordsFor(error), Object.keys(fields).length, left));
      }
    },
    () => {
      toast.dismissSuccess();
      setFailure(undefined);
    },
  );

  return (
    <LabelsContext value={labels}>
      <FormProvider {...form}>
        <Box
          component="form"
          id={id}
          noValidate
          onSubmit={(event) => {
            // A dialog's form inside a page's form must not submit both.
            event.stopPropagation();
            void submit(event);
          }}
          sx={{ display: 'grid', gap: 2.5 }}
        >
          <Summary form={form} failure={failure} labels={labels} />
          {children}
        </Box>
      </FormProvider>
    </LabelsContext>
  );
}

/** The sentence above the fields: the error's words, unless the fields say it all. No sentence stands there twice. */
function summaryOf(words: string, fieldCount: number, left: readonly string[]): string | undefined {
  if (fieldCount > 0 && left.length === 0) return undefined;
  return [...new Set([words, ...left])].join(' ');
}

/** Shows the server's errors at their fields; returns those whose field is not rendered. */
function placeFieldErrors<T extends FieldValues>(
  form: UseFormReturn<T>,
  fields: Readonly<Record<string, string>>,
  labels: Map<string, string>,
): string[] {
  const left: string[] = [];
  let first = true;
  for (const [path, message] of Object.entries(fields)) {
    if (!labels.has(path)) {
      left.push(message);
      continue;
    }
    form.setError(path as FieldPath<T>, { type: 'server', message }, { shouldFocus: first });
    first = false;
  }
  return left;
}

interface SummaryProps<T extends FieldValues> {
  form: UseFormReturn<T>;
  failure: string | undefined;
  labels: Map<string, string>;
}

/** The errors above the fields after a failed submit, each a link to its field. */
function Summary<T extends FieldValues>({ form, failure, labels }: SummaryProps<T>) {
  const { errors, submitCount } = form.formState;
  const faults = submitCount > 0 ? faultsOf(errors) : [];
  if (!failure && faults.length === 0) return null;
  return (
    <Alert severity="error" role="alert">
      {failure ?? texts.check}
      {faults.length > 0 && (
        <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
          {faults.map(({ path, message }) => (
            <li key={path}>
              {labels.has(path) ? (
                <Link
                  component="button"
                  type="button"
                  color="inherit"
                  underline="always"
                  onClick={() => form.setFocus(path as FieldPath<T>)}
                  sx={{
                    minHeight: 28,
                    textAlign: 'left',
                    '@media (max-width: 749px), (pointer: coarse)': { minHeight: 44 },
                  }}
                >
                  {labels.get(path)}: {message}
                </Link>
              ) : (
                message
              )}
            </li>
          ))}
        </Box>
      )}
    </Alert>
  );
}

function faultsOf(errors: FieldErrors, prefix = ''): { path: string; message: string }[] {
  return Object.entries(errors).flatMap(([key, error]) => {
    if (!error || key === 'ref') return [];
    const path = prefix + key;
    if (typeof error.message === 'string' && error.type !== undefined) {
      // Rules for the whole form have no field: '' or 'root'.
      return [{ path, message: error.message }];
    }
    return typeof error === 'object' ? faultsOf(error as FieldErrors, `${path}.`) : [];
  });
}
