import { lazy, Suspense } from 'react';
import { Outlet, useLocation } from 'react-router';
import { to } from '../paths.ts';
import { useExpiredCompany, useExpiryWatch } from './use-expired-company.ts';

const ExpiredPage = lazy(async () => ({ default: (await import('./ExpiredPage.tsx')).ExpiredPage }));

/** The page of the address. Staff of an expired company see what has happened instead, except in My Account. */
export function LicensedOutlet() {
  const company = useExpiredCompany();
  const { pathname } = useLocation();
  useExpiryWatch();
  if (!company || pathname === to.user()) return <Outlet />;
  return (
    <Suspense>
      <ExpiredPage company={company} />
    </Suspense>
  );
}
