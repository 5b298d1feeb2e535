import { getGuestVisit } from '@roomside/contract/guests/calls.ts';
import { Navigate } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { fullName } from '../../ui/full-name.ts';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { VisitTime } from '../room/outside/EarlyVisit.tsx';
import { texts } from './texts.ts';

/** How often the page looks for a provider in the room, ms. */
const refetchIntervalMs = 3_000;

/** /guest: the room as soon as a provider is inside, until then a page to wait on. */
export function GuestWaitingPage() {
  const signIn = useSignIn();
  const isGuest = signIn.kind === 'guest';
  const { data, error, isFetchedAfterMount } = useRead(getGuestVisit, undefined, {
    staleTime: 0,
    refetchInterval: refetchIntervalMs,
    // The tab becomes a guest's when the page has opened.
    enabled: isGuest,
  });
  if (isGuest && signIn.status === 'out') return <Navigate to={to.guestOver()} replace />;
  if (data?.isOpen && isFetchedAfterMount) return <Navigate to={to.guestRoom()} replace />;
  if (!data) {
    return (
      <Page title={texts.eyebrow}>
        {error ? <Notice kind="error">{wordsFor(error)}</Notice> : <Spinner label={uiTexts.loading} />}
      </Page>
    );
  }
  return (
    <Page eyebrow={data.companyName} title={texts.waiting(fullName(data.doctor))}>
      <VisitTime startDate={data.startDate} timeZone={data.timeZone} />
      <p className="rs-text" role="status">
        {texts.waitingNote}
      </p>
    </Page>
  );
}
