import { useState } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { useIsPageOpen } from '../page-of-call.ts';
import { toast } from '../ui/toast.ts';
import { same } from './begin-save.ts';
import { texts } from './texts.ts';

export interface Stale<T extends FieldValues> {
  /** The stored values of fields that both sides have changed; undefined when nothing is stale. */
  conflicts: Partial<T> | undefined;
  /** After a refusal: takes the stored values over, except for fields with typed input. Says that nothing was saved when the page was left. */
  merge: (stored: T) => void;
  /** As `merge`, after the record was read again without a refusal: says so only where both sides have changed a field. */
  adopt: (stored: T) => void;
  /** Replaces the typed value of one field by the stored one. */
  takeStored: (name: keyof T & string) => void;
  clear: () => void;
}

/** After a `stale` refusal: keeps the input, shows the stored values, and lets the user choose by field. */
export function useStale<T extends FieldValues>(form: UseFormReturn<T>): Stale<T> {
  const isPageOpen = useIsPageOpen();
  const [conflicts, setConflicts] = useState<Partial<T>>();
  const set = (name: string, value: unknown) =>
    form.setValue(name as Path<T>, value as PathValue<T, Path<T>>, { shouldDirty: true, shouldValidate: true });
  /** Bases the form on the stored values, and keeps typed input. Returns the stored values that differ from it. */
  function rebase(stored: T): Partial<T> {
    const typed = form.getValues();
    const read = form.formState.defaultValues ?? {};
    const isTyped = (name: keyof T & string) => !same(typed[name], (read as Partial<T>)[name]);
    // A value such as a chosen picture has no stored one.
    const names = (Object.keys({ ...stored, ...typed }) as (keyof T & string)[]).filter(isTyped);
    form.reset(stored);
    for (const name of names) set(name, typed[name]);
    const differ = names.filter(
      (name) => !same(stored[name], typed[name]) && !same(stored[name], (read as Partial<T>)[name]),
    );
    return Object.fromEntries(differ.map((name) => [name, stored[name]])) as Partial<T>;
  }
  return {
    conflicts,
    merge: (stored) => {
      if (!isPageOpen()) return void toast.error(texts.notSaved(texts.stale.title), { across: 'all' });
      setConflicts(rebase(stored));
    },
    adopt: (stored) => {
      const differ = rebase(stored);
      if (Object.keys(differ).length > 0) setConflicts((old) => ({ ...old, ...differ }));
    },
    takeStored: (name) => {
      set(name, conflicts?.[name]);
      setConflicts(
        (old) => Object.fromEntries(Object.entries(old ?? {}).filter(([key]) => key !== name)) as Partial<T>,
      );
    },
    clear: () => setConflicts(undefined),
  };
}
