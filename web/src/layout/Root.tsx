import { Outlet } from 'react-router';
import { useSession } from '../api/sign-in.ts';
import { LiveUpdates } from '../features/waiting-room/LiveUpdates.tsx';
import { AppShell } from './AppShell.tsx';
import { useSettledTab } from './open-page.ts';

/** Around every page. */
export function Root() {
  useSettledTab();
  return (
    <>
      <Outlet />
      <LiveUpdates />
    </>
  );
}

/** Around pages that a patient sees too: the frame with the menu is for staff. */
export function StaffFrame() {
  return useSession().kind === 'patient' ? <Outlet /> : <AppShell />;
}
