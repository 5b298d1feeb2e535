import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import { Button } from '../../ui/Button.tsx';
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
        <Button look="primary" onClick={calendar.showAll}>
          {texts.showAll}
        </Button>
      }
    />
  );
}
