import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import { useReached } from './use-reached.ts';

interface Props {
  /** The reads of the children, and of what is above them, have ended, with a result or an error. */
  isRead: boolean;
  /** Shown until then. */
  waiting: ReactNode;
  children: ReactNode;
}

/**
 * Shows its children when they no longer move: a part that grows later would push what is below it away from the pointer. They are mounted
 * from the start, so that their own reads begin, and stay shown while something is read again.
 */
export function WhenRead({ isRead, waiting, children }: Props) {
  const isShown = useReached(isRead);
  return (
    <>
      {!isShown && waiting}
      <Box sx={{ display: isShown ? 'contents' : 'none' }}>{children}</Box>
    </>
  );
}
