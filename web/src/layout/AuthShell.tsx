import { useEffect } from 'react';
import { NavLink, Outlet } from 'react-router';
import { knownSignIn, useSignIn } from '../api/sign-in.ts';
import { Mark } from '../ui/light/Page.tsx';
import { menuFor } from './menu.ts';
import { texts } from './texts.ts';

/** The frame of pages without a sign-in: the mark and a short main menu (MENU-2). */
export function AuthShell() {
  const signIn = useSignIn();
  useEffect(() => {
    if (signIn.status === 'unknown') void knownSignIn().catch(() => undefined);
  }, [signIn.status]);
  const entries = signIn.status === 'out' ? menuFor(signIn) : [];
  return (
    <div className="rs-page">
      <header className="rs-page-head">
        <Mark />
        <nav className="rs-page-nav" aria-label={texts.menu}>
          {entries.map(({ label, path }) => (
            <NavLink key={path} to={path} className="rs-link">
              {label}
            </NavLink>
          ))}
        </nav>
      </header>
      <Outlet />
    </div>
  );
}
