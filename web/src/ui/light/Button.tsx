import type { ComponentProps, ReactNode } from 'react';
import { Spinner } from './Spinner.tsx';

/** The ranks of ../Button.tsx; none is urgent here. */
type Look = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-primary';

interface Props extends Omit<ComponentProps<'button'>, 'className'> {
  look?: Look;
  /** Shows progress and ignores clicks; unlike `disabled` it keeps the focus. */
  busy?: boolean;
  children: ReactNode;
}

/** A button on patients' pages: 56 px high. */
export function Button({ look = 'primary', busy = false, children, onClick, type = 'button', ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={`rs-button rs-button-${look}`}
      aria-disabled={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ look = 'secondary', ...rest }: ComponentProps<'a'> & { look?: Look }) {
  return <a {...rest} className={`rs-button rs-button-${look}`} />;
}
