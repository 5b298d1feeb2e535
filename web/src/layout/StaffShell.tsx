import { StaffTheme } from '../ui/StaffTheme.tsx';
import { AppShell } from './AppShell.tsx';

/** The staff's frame with the providers that its components need. */
export function StaffShell() {
  return (
    <StaffTheme>
      <AppShell />
    </StaffTheme>
  );
}
