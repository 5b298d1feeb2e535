import BlockIcon from '@mui/icons-material/Block';
import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import EventOutlinedIcon from '@mui/icons-material/EventOutlined';
import HourglassTopIcon from '@mui/icons-material/HourglassTop';
import PhoneMissedOutlinedIcon from '@mui/icons-material/PhoneMissedOutlined';
import VideocamOutlinedIcon from '@mui/icons-material/VideocamOutlined';
import { Box, Tooltip } from '@mui/material';
import type { Status } from '@roomside/contract/appointments/status.ts';
import { texts } from './texts.ts';

const looks = {
  cancelled: { icon: BlockIcon, color: 'text.secondary' },
  completed: { icon: CheckCircleOutlinedIcon, color: 'success.main' },
  inProgress: { icon: VideocamOutlinedIcon, color: 'primary.main' },
  waiting: { icon: HourglassTopIcon, color: 'warning.main' },
  missed: { icon: PhoneMissedOutlinedIcon, color: 'error.main' },
  scheduled: { icon: EventOutlinedIcon, color: 'text.secondary' },
} as const satisfies Record<Status, object>;

interface Props {
  status: Status;
  /** The status in words, with its time. */
  statusTooltip: string;
  /** Shows the tooltip's text instead of the status, where there is room. */
  long?: boolean;
}

/** LIST-12: an icon with a separate shape per status, its name, and details in a tooltip. */
export function StatusBadge({ status, statusTooltip, long = false }: Props) {
  const { icon: Icon, color } = looks[status];
  return (
    <Tooltip title={long ? '' : statusTooltip}>
      <Box
        component="span"
        role="img"
        aria-label={statusTooltip || texts.status[status]}
        // The icon is beside the first line.
        sx={{
          display: 'inline-flex',
          alignItems: 'flex-start',
          verticalAlign: 'middle',
          gap: 0.75,
          textWrap: 'balance',
        }}
      >
        <Icon fontSize="small" aria-hidden sx={{ color }} />
        {(long && statusTooltip) || texts.status[status]}
      </Box>
    </Tooltip>
  );
}
