import { Alert, AlertTitle, Box } from '@mui/material';
import { useEffect, useRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Button } from '../ui/Button.tsx';
import { texts } from './texts.ts';
import type { Stale } from './use-stale.ts';

interface Props<T extends FieldValues> {
  stale: Stale<T>;
  /** The labels of the fields. Of fields without one the notice only says that there are others. */
  labels: Partial<Record<keyof T & string, string>>;
  /** Formats a stored value; without it a switch is on or off, and any other value is shown as it is. */
  show?: (name: keyof T & string, stored: Partial<T>) => string | undefined;
}

/** Shown above a form whose record another user has saved: both versions, and the choice. */
export function StaleNotice<T extends FieldValues>({ stale, labels, show }: Props<T>) {
  const { conflicts: stored } = stale;
  const notice = useRef<HTMLDivElement>(null);
  // The save button is at the end of a long form, so the notice is scrolled into view.
  useEffect(() => {
    if (stored) notice.current?.focus();
  }, [stored]);
  if (!stored) return null;
  const all = Object.keys(stored) as (keyof T & string)[];
  const names = all.filter((name) => labels[name]);
  return (
    <Alert ref={notice} tabIndex={-1} severity="warning" role="alert" sx={{ scrollMarginTop: '5rem' }}>
      <AlertTitle>{texts.stale.title}</AlertTitle>
      {texts.stale.text}
      {names.map((name) => {
        const label = labels[name] ?? '';
        const value = show?.(name, stored) ?? switchWords(stored[name]) ?? String(stored[name] ?? '');
        return (
          <Box
            key={name}
            sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 0.75, mt: 1.5 }}
          >
            <Box component="span" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              {value ? texts.stale.stored(label, value) : texts.stale.storedEmpty(label)}
            </Box>
            <Button look="secondary" size="small" onClick={() => stale.takeStored(name)}>
              {texts.stale.take(label.toLowerCase())}
            </Button>
          </Box>
        );
      })}
      {names.length < all.length && <Box sx={{ mt: 1.5 }}>{texts.stale.others}</Box>}
    </Alert>
  );
}

function switchWords(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? texts.stale.on : texts.stale.off;
}
