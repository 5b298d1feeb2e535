import { type ReactNode, useEffect, useRef } from 'react';
import { brandName, useBrand } from './brand.ts';

interface MainProps {
  /** The line above the heading; also the document's title. Never a patient's data. */
  eyebrow?: string;
  /** At the end of that line: which of several steps this is. */
  step?: string | undefined;
  title: string;
  /** The heading does not take the focus, because a field of the page does. */
  keepFocus?: boolean;
  children?: ReactNode;
}

interface Props extends MainProps {
  /** A link or small button at the upper right. */
  aside?: ReactNode;
  foot?: ReactNode;
  className?: string;
}

/** A patient's page: the mark, one heading, one action. */
export function Page({ aside, foot, className, ...main }: Props) {
  return (
    <div className={className ? `rs-page ${className}` : 'rs-page'}>
      <header className="rs-page-head">
        <Mark />
        {aside}
      </header>
      <Main {...main} />
      {foot && <footer className="rs-page-foot">{foot}</footer>}
    </div>
  );
}

/** The content below the header: one heading, which takes the focus, and one action. */
export function Main({ eyebrow, step, title, keepFocus = false, children }: MainProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${eyebrow ?? title} · ${brandName()}`;
    if (!keepFocus) heading.current?.focus();
  }, [eyebrow, title, keepFocus]);
  return (
    <main className="rs-page-main">
      {eyebrow && (
        <p className="rs-eyebrow">
          <span>{eyebrow}</span>
          {step && <span>{step}</span>}
        </p>
      )}
      <h1 className="rs-title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}

/** The logo and name of this host's brand. */
export function Mark() {
  const logoUrl = useBrand()?.logoUrl;
  return (
    <span className="rs-mark">
      <img src={logoUrl || '/icon.svg'} alt="" width="28" height="28" />
      {brandName()}
    </span>
  );
}
