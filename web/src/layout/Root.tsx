import { Outlet } from 'react-router';
import { useSignIn } from '../api/sign-in.ts';
import { isClinicStaff } from '../api/sign-in-state.ts';
import { RunningVisitFrame } from '../features/room/RunningVisitFrame.tsx';
import { useHeldPage } from '../form/use-unsaved.ts';
import { later } from '../ui/later.tsx';
import { Splash } from '../ui/light/Splash.tsx';
import { useSettledTab } from './open-page.ts';

const LiveUpdates = later(async () => (await import('./ThemedLiveUpdates.tsx')).ThemedLiveUpdates);
const StaffShell = later(
  async () => (await import('./StaffShell.tsx')).StaffShell,
  () => <Splash />,
);

/** The root of all pages. */
export function Root() {
  useSettledTab();
  const isStaff = isClinicStaff(useSignIn());
  useHeldPage();
  return (
    <>
      <Outlet />
      {isStaff && <LiveUpdates />}
      <RunningVisitFrame />
    </>
  );
}

/** Root of pages that patients see too: the frame with the menu is for staff. */
export function StaffFrame() {
  const isPatient = useSignIn().kind === 'patient';
  return isPatient ? <Outlet /> : <StaffShell />;
}
