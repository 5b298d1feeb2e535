import { Alert } from '@mui/material';
import { to } from '../paths.ts';
import { formatLongDate } from '../time/time.ts';
import { Button } from '../ui/Button.tsx';
import { texts as all } from './texts.ts';

const texts = all.requiredFactor;

/** Above the pages of users who will need a second factor from a day on. */
export function FactorNotice({ day }: { day: string }) {
  return (
    <Alert
      component="section"
      role="region"
      aria-label={texts.noticeLabel}
      severity="warning"
      sx={{ borderRadius: 0 }}
      action={
        <Button look="quiet" to={to.user()}>
          {texts.setUp}
        </Button>
      }
    >
      {texts.notice(formatLongDate(day))}
    </Alert>
  );
}
