import ChevronLeftIcon from '@mui/icons-material/ChevronLeft';
import ChevronRightIcon from '@mui/icons-material/ChevronRight';
import { Box, IconButton } from '@mui/material';
import { memo } from 'react';
import { Link } from 'react-router';
import { Button } from '../../ui/Button.tsx';
import { texts } from './texts.ts';

export interface Steps {
  previous: { label: string; to: string };
  next: { label: string; to: string };
  today: string;
  /** The other calendar, on the same date. */
  other: { label: string; to: string };
}

/** Previous, today, next, and a link to the other calendar (SCHED-1). */
export const DateSteps = memo(function DateSteps(props: Steps & { isRow?: boolean }) {
  const { previous, next, today, other, isRow = false } = props;
  return (
    <Box
      component="nav"
      aria-label={texts.navigation}
      data-keeps-focus
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', ...(isRow && { mb: 1.5 }) }}
    >
      <IconButton component={Link} to={previous.to} aria-label={previous.label} edge="start">
        <ChevronLeftIcon />
      </IconButton>
      <Button look="quiet" to={today} sx={{ px: 1.25 }}>
        {texts.today}
      </Button>
      <IconButton component={Link} to={next.to} aria-label={next.label}>
        <ChevronRightIcon />
      </IconButton>
      <Button look="secondary" to={other.to} sx={{ ml: 'auto', px: 1.75 }}>
        {other.label}
      </Button>
    </Box>
  );
});
