import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The server stores texts without spaces around them. */
const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);

export interface Saving<T extends FieldValues> {
  /** What the form showed when the save began. */
  shown: T;
  /** Bases the form on the stored values. What was typed since the save began stays. */
  takeOver: (stored: T) => void;
}

/** Call it before a save that leaves its form open: people go on typing while it runs. */
export function beginSave<T extends FieldValues>(form: UseFormReturn<T>): Saving<T> {
  // A copy: typing into a row changes the arrays in place.
  const shown = structuredClone(form.getValues());
  return {
    shown,
    takeOver: (stored) => {
      const typed = form.getValues();
      form.reset(stored);
      for (const name of Object.keys(shown) as Path<T>[]) {
        if (same(typed[name], shown[name])) continue;
        form.setValue(name, typed[name], { shouldDirty: true });
      }
    },
  };
}

/**
 * Whether a save refused as stale had been stored: its response was lost, and it was sent again. The version is not compared.
 * Passwords and chosen pictures cannot be read back, so a save with one never matches.
 */
export function isStored<T extends FieldValues>(sent: T, stored: T): boolean {
  const names = new Set([...Object.keys(sent), ...Object.keys(stored)]);
  names.delete('version');
  return [...names].every((name) => same(trimmed(sent[name]), trimmed(stored[name])));
}
