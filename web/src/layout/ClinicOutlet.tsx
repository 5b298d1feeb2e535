import { useEffect, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { useClosed, useClosingWatch, useFactorDay } from '../api/use-closed.ts';
import { to } from '../paths.ts';
import { later } from '../ui/later.tsx';

const ExpiredPage = later(async () => (await import('./ExpiredPage.tsx')).ExpiredPage);
const RequiredFactorPage = later(async () => (await import('./RequiredFactorPage.tsx')).RequiredFactorPage);
const FactorNotice = later(async () => (await import('./FactorNotice.tsx')).FactorNotice);

/**
 * The page of the address. Staff without the second factor that their company requires set one up instead; staff of an expired
 * company see what has happened, except in My Account, where the license is renewed and where the clinic's data is exported.
 */
export function ClinicOutlet() {
  const closed = useClosed();
  const factorDay = useFactorDay();
  const { pathname } = useLocation();
  const isSettingUp = useSettingUp(closed?.why === 'factor');
  useClosingWatch();
  if (isSettingUp.now) return <RequiredFactorPage isDone={closed?.why !== 'factor'} onContinue={isSettingUp.finish} />;
  if (closed?.why === 'license' && !isOpenWhileExpired(pathname)) return <ExpiredPage company={closed.company} />;
  return (
    <>
      {factorDay && pathname !== to.user() && <FactorNotice day={factorDay} />}
      <Outlet />
    </>
  );
}

/** My Account, where a license is renewed, and the export. The server refuses those who may not. */
const isOpenWhileExpired = (pathname: string): boolean =>
  pathname === to.user() || pathname === to.adminData() || /^\/admin\/payment(\/|$)/.test(pathname);

/** Setting up goes on after the factor was added, since recovery codes are shown then. Another page finishes it too. */
function useSettingUp(isRequired: boolean) {
  /** The address at which it began. */
  const [startedAt, setStartedAt] = useState<string>();
  const { pathname } = useLocation();
  useEffect(() => {
    if (isRequired) setStartedAt(pathname);
  }, [isRequired, pathname]);
  return { now: isRequired || startedAt === pathname, finish: () => setStartedAt(undefined) };
}
