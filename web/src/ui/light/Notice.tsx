import type { ReactNode } from 'react';

interface Props {
  kind?: 'info' | 'error' | 'success';
  /** An error that a click has caused comes into view; one that appears while someone types does not move the page. */
  isAnswer?: boolean;
  children: ReactNode;
}

/** A message above a form: what happened and what to do next. Screen readers read errors immediately. */
export function Notice({ kind = 'info', isAnswer = true, children }: Props) {
  const isError = kind === 'error';
  return (
    <div
      ref={isError && isAnswer ? comeIntoView : undefined}
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
