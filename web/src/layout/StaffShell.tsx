import { AppShell } from './AppShell.tsx';
import { StaffTheme } from './StaffTheme.tsx';

/** The staff's frame with what its components need. */
export function StaffShell() {
  return (
    <StaffTheme>
      <AppShell />
    </StaffTheme>
  );
}
