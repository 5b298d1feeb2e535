import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import { Box } from '@mui/material';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { useSignIn } from '../api/sign-in.ts';
import { useRead } from '../api/use-call.ts';
import type { Company } from '../api/use-company.ts';
import { to } from '../paths.ts';
import { formatLongDate } from '../time/time.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { texts } from './texts.ts';

/** What staff see of a company whose license has expired. */
export function ExpiredPage({ company }: { company: Company }) {
  // A renewed license opens the pages again.
  useRead(getSignIn, undefined, { refetchInterval: 60_000 });
  const signIn = useSignIn();
  const isAdministrator = signIn.status === 'in' && signIn.caller === 'A';
  const { companyName, expirationDate, supportEmail } = company;
  return (
    <Page title={texts.expired.title}>
      <EmptyState
        icon={<EventBusyOutlinedIcon />}
        text={texts.expired.since(companyName, formatLongDate(expirationDate))}
        hint={`${texts.expired.note} ${isAdministrator ? texts.expired.renewHere : supportEmail ? texts.expired.write(supportEmail) : texts.expired.ask}`}
        action={
          isAdministrator ? (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'center', gap: 1.5 }}>
              <Button look="primary" to={to.adminPayment()}>
                {texts.expired.renew}
              </Button>
              <Button look="secondary" to={to.adminData()}>
                {texts.expired.download}
              </Button>
            </Box>
          ) : (
            supportEmail && (
              <Button look="primary" href={`mailto:${supportEmail}`}>
                {texts.expired.contact}
              </Button>
            )
          )
        }
      />
    </Page>
  );
}
