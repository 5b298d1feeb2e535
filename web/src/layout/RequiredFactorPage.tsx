import { Alert, Box, Typography } from '@mui/material';
import { TwoStepSection } from '../features/account-security/TwoStepSection.tsx';
import { Button } from '../ui/Button.tsx';
import { Page } from '../ui/Page.tsx';
import { texts as all } from './texts.ts';

const texts = all.requiredFactor;

/** What staff see whose company requires the second factor that they do not have: its set-up, then the way on. */
export function RequiredFactorPage({ isDone, onContinue }: { isDone: boolean; onContinue: () => void }) {
  return (
    <Page title={texts.title} width="form">
      <Box sx={{ display: 'grid', gap: 3 }}>
        <Typography>{texts.text}</Typography>
        <TwoStepSection />
        {isDone && (
          <Alert
            severity="success"
            role="status"
            action={
              <Button look="primary" onClick={onContinue}>
                {texts.continue}
              </Button>
            }
          >
            {texts.done}
          </Alert>
        )}
      </Box>
    </Page>
  );
}
