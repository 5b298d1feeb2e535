import type { ReactNode } from 'react';

/** A message above a form: what happened and what to do next. Screen readers read errors immediately. */
export function Notice({ kind = 'info', children }: { kind?: 'info' | 'error' | 'success'; children: ReactNode }) {
  return (
    <div className={`rs-notice rs-notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <p>{children}</p>
    </div>
  );
}
