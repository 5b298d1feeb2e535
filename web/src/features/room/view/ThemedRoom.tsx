import type { ComponentProps } from 'react';
import { StaffTheme } from '../../../ui/StaffTheme.tsx';
import { VisitRoom } from './VisitRoom.tsx';

/** The room with the providers of its Material components. */
export function ThemedRoom(props: ComponentProps<typeof VisitRoom>) {
  return (
    <StaffTheme>
      <VisitRoom {...props} />
    </StaffTheme>
  );
}
