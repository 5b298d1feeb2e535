import { lazy, Suspense } from 'react';
import { Outlet } from 'react-router';
import { useSignIn } from '../api/sign-in.ts';
import { isClinicStaff } from '../api/sign-in-state.ts';
import { RunningVisitFrame } from '../features/room/RunningVisitFrame.tsx';
import { useHeldPage } from '../form/use-unsaved.ts';
import { Splash } from '../ui/light/Splash.tsx';
import { useSettledTab } from './open-page.ts';

const LiveUpdates = lazy(async () => ({ default: (await import('./ThemedLiveUpdates.tsx')).ThemedLiveUpdates }));
const StaffShell = lazy(async () => ({ default: (await import('./StaffShell.tsx')).StaffShell }));

/** The root of all pages. */
export function Root() {
  useSettledTab();
  const isStaff = isClinicStaff(useSignIn());
  useHeldPage();
  return (
    <>
      <Outlet />
      <Suspense>{isStaff && <LiveUpdates />}</Suspense>
      <RunningVisitFrame />
    </>
  );
}

/** Root of pages that patients see too: the frame with the menu is for staff. */
export function StaffFrame() {
  const isPatient = useSignIn().kind === 'patient';
  return <Suspense fallback={<Splash />}>{isPatient ? <Outlet /> : <StaffShell />}</Suspense>;
}
