import { type ReactNode, useEffect, useRef } from 'react';

interface Props {
  /** The line above the heading; also the document's title. Never a patient's data. */
  eyebrow?: string;
  title: string;
  /** A link or a small button at the upper right. */
  aside?: ReactNode;
  foot?: ReactNode;
  /** Where the page has a field to begin with, the heading does not take the focus. */
  keepFocus?: boolean;
  children?: ReactNode;
}

/** A patient's page: the mark, one heading, one thing to do. */
export function Page({ eyebrow, title, aside, foot, keepFocus = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${eyebrow ?? title} · Roomside`;
    if (!keepFocus) heading.current?.focus();
  }, [eyebrow, title, keepFocus]);
  return (
    <div className="rs-page">
      <header className="rs-page-head">
        <span className="rs-mark">
          <img src="/icon.svg" alt="" width="28" height="28" />
          Roomside
        </span>
        {aside}
      </header>
      <main className="rs-page-main">
        {eyebrow && <p className="rs-eyebrow">{eyebrow}</p>}
        <h1 className="rs-title" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </main>
      {foot && <footer className="rs-page-foot">{foot}</footer>}
    </div>
  );
}
