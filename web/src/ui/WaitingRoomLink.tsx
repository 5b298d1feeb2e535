import MeetingRoomOutlinedIcon from '@mui/icons-material/MeetingRoomOutlined';
import { Badge, Box, Button } from '@mui/material';
import { getArrivedCount } from '@roomside/contract/waiting-room/calls.ts';
import { Link } from 'react-router';
import { isClinicStaff } from '../api/session.ts';
import { useSession } from '../api/sign-in.ts';
import { useRead } from '../api/use-call.ts';
import { to } from '../paths.ts';
import { texts } from './texts.ts';

/** MENU-4: for staff of a company only; the badge counts who waits, and hides at 0. */
export function WaitingRoomLink() {
  const sees = isClinicStaff(useSession());
  const { data: count = 0 } = useRead(getArrivedCount, undefined, { enabled: sees });
  if (!sees) return null;
  return (
    <Button
      component={Link}
      to={to.waitingRoom()}
      color={count > 0 ? 'primary' : 'secondary'}
      aria-label={count > 0 ? texts.waitingCount(count) : texts.waitingRoom}
      sx={{ flex: 'none', minWidth: 44, px: { xs: 1, lg: 2 } }}
    >
      <Badge badgeContent={count} color="error">
        <MeetingRoomOutlinedIcon />
      </Badge>
      <Box component="span" sx={{ ml: 1.5, display: { xs: 'none', lg: 'inline' } }}>
        {texts.waitingRoom}
      </Box>
    </Button>
  );
}
