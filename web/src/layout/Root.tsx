import { Outlet } from 'react-router';
import { useSession } from '../api/sign-in.ts';
import { LiveUpdates } from '../features/waiting-room/LiveUpdates.tsx';
import { AppShell } from './AppShell.tsx';

/** Around every page. */
export function Root() {
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
