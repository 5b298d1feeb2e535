import { type ReactNode, useEffect, useRef } from 'react';

interface MainProps {
  /** The line above the heading; also the document's title. Never a patient's data. */
  eyebrow?: string;
  title: string;
  /** Where the page has a field to begin with, the heading does not take the focus. */
  keepFocus?: boolean;
  children?: ReactNode;
}

interface Props extends MainProps {
  /** A link or a small button at the upper right. */
  aside?: ReactNode;
  foot?: ReactNode;
}

/** A patient's page: the mark, one heading, one thing to do. */
export function Page({ aside, foot, ...main }: Props) {
  return (
    <div className="rs-page">
      <header className="rs-page-head">
        <Mark />
        {aside}
      </header>
      <Main {...main} />
      {foot && <footer className="rs-page-foot">{foot}</footer>}
    </div>
  );
}

/** What is below the head: one heading, which takes the focus, and one thing to do. */
export function Main({ eyebrow, title, keepFocus = false, children }: MainProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${eyebrow ?? title} · Roomside`;
    if (!keepFocus) heading.current?.focus();
  }, [eyebrow, title, keepFocus]);
  return (
    <main className="rs-page-main">
      {eyebrow && <p className="rs-eyebrow">{eyebrow}</p>}
      <h1 className="rs-title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}

export function Mark() {
  return (
    <span className="rs-mark">
      <img src="/icon.svg" alt="" width="28" height="28" />
      Roomside
    </span>
  );
}
