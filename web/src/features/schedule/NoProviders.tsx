import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import { Button } from '@mui/material';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { Calendar } from './providers.ts';
import { texts } from './texts.ts';

/** Shown when no provider is selected or exists. */
export function NoProviders({ calendar }: { calendar: Calendar }) {
  const icon = <EventBusyOutlinedIcon />;
  if (calendar.providers.length === 0) {
    return <EmptyState icon={icon} text={texts.noProviders} hint={texts.noProvidersHint} />;
  }
  return (
    <EmptyState
      icon={icon}
      text={texts.noneTicked}
      hint={texts.noneTickedHint}
      action={
        <Button variant="contained" onClick={calendar.showAll}>
          {texts.showAll}
        </Button>
      }
    />
  );
}
