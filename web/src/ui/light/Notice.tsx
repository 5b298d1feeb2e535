import type { ReactNode } from 'react';

/** A sentence above a form: what happened and what to do next. Errors are read out at once. */
export function Notice({ kind = 'info', children }: { kind?: 'info' | 'error' | 'success'; children: ReactNode }) {
  return (
    <div className={`rs-notice rs-notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <p>{children}</p>
    </div>
  );
}
