import ExploreOffOutlinedIcon from '@mui/icons-material/ExploreOffOutlined';
import { useSignIn } from '../api/sign-in.ts';
import { homeOf } from '../guards.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { texts } from './texts.ts';

/** MISSING-1. */
export function NotFoundPage() {
  const home = homeOf(useSignIn());
  return (
    <Page title={texts.notFound.title}>
      <EmptyState
        icon={<ExploreOffOutlinedIcon />}
        text={texts.notFound.text}
        hint={texts.notFound.note}
        action={
          <Button look="primary" to={home}>
            {texts.notFound.home}
          </Button>
        }
      />
    </Page>
  );
}
