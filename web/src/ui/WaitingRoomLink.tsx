import MeetingRoomOutlinedIcon from '@mui/icons-material/MeetingRoomOutlined';
import { Badge, Box } from '@mui/material';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import { useLocation } from 'react-router';
import { useRead } from '../api/use-call.ts';
import { useIsClinicOpen } from '../api/use-closed.ts';
import { to } from '../paths.ts';
import { Button } from './Button.tsx';
import { texts } from './texts.ts';

/** MENU-4: for staff of a company only, while its pages are open; the badge shows the waiting count and is hidden at 0. */
export function WaitingRoomLink() {
  const sees = useIsClinicOpen();
  const isHere = useLocation().pathname === to.waitingRoom();
  const { data: count = 0 } = useRead(getArrivedCount, undefined, { enabled: sees });
  return sees && <WaitingRoomButton count={count} isHere={isHere} />;
}

/** What WaitingRoomLink shows; `isHere` = on the waiting room's page. */
export function WaitingRoomButton({ count, isHere }: { count: number; isHere: boolean }) {
  return (
    <Button
      look={count > 0 || isHere ? 'secondary' : 'quiet'}
      to={to.waitingRoom()}
      aria-current={isHere ? 'page' : undefined}
      sx={{ flex: 'none', minWidth: 44, px: { xs: 1, lg: 2 } }}
    >
      <Badge badgeContent={count} color="error" slotProps={{ badge: { 'aria-hidden': true } }}>
        <MeetingRoomOutlinedIcon />
      </Badge>
      <Box component="span" sx={{ ml: { lg: 1.5 }, ...onlyReadBelow }}>
        {texts.waitingRoom}
      </Box>
      {count > 0 && (
        <Box component="span" sx={onlyRead}>
          {texts.waitingCount(count)}
        </Box>
      )}
    </Button>
  );
}

const onlyRead = {
  position: 'absolute',
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;
/** On a narrow screen the label is for screen readers only. */
const onlyReadBelow = { '@media (max-width: 1099px)': onlyRead } as const;
