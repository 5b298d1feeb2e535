import LockOutlinedIcon from '@mui/icons-material/LockOutlined';
import { Outlet } from 'react-router';
import { useSignIn } from '../api/sign-in.ts';
import { to } from '../paths.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { texts } from './texts.ts';

/** ROUTE-6: around pages without a guard. An unauthenticated person gets a link to sign in instead of a redirect. */
export function SignedOutFrame() {
  if (useSignIn().status !== 'out') return <Outlet />;
  return (
    <Page title={texts.signedOut.title}>
      <EmptyState
        icon={<LockOutlinedIcon />}
        text={texts.signedOut.text}
        action={
          <Button look="primary" to={to.login()}>
            {texts.signedOut.signIn}
          </Button>
        }
      />
    </Page>
  );
}
