import type { ReactNode } from 'react';

/** A message above a form: what happened and what to do next. Screen readers read errors immediately, and an error comes into view. */
export function Notice({ kind = 'info', children }: { kind?: 'info' | 'error' | 'success'; children: ReactNode }) {
  const isError = kind === 'error';
  return (
    <div
      ref={isError ? comeIntoView : undefined}
      className={`rs-notice rs-notice-${kind}`}
      role={isError ? 'alert' : 'status'}
    >
      <p>{children}</p>
    </div>
  );
}

/** The button that failed may be a screen below the message. */
function comeIntoView(notice: HTMLElement | null) {
  notice?.scrollIntoView({ block: 'nearest' });
}
