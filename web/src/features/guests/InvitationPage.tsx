import { getInvitation, joinAsGuest } from '@roomside/contract/guests/calls.ts';
import { useState } from 'react';
import { useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { setTabKind, startSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { VisitTime } from '../room/outside/EarlyVisit.tsx';
import { texts } from './texts.ts';

/** /guest/{link}: says who invites to what. Joining is the only thing to do. */
export function InvitationPage() {
  const { code: link = '' } = useParams();
  // Another link in the same tab changes only the part of the address after #.
  return <Invitation key={link} link={link} />;
}

function Invitation({ link }: { link: string }) {
  const { data, error, refetch } = useRead(getInvitation, { body: { link } }, { staleTime: Infinity });
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();

  async function join() {
    setBusy(true);
    setFailure(undefined);
    setTabKind('guest');
    try {
      const { accessToken } = await send(joinAsGuest, { body: { link } });
      startSignIn('guest', accessToken);
      // Replaces the address, so that the link is not in the browser's history.
      location.replace(`#${to.guest()}`);
    } catch (refused) {
      setFailure(refused);
      setBusy(false);
    }
  }

  const problem = failure ?? error;
  const isOver = isRefusal(problem, 'invitation-over');
  if (isOver || !data) {
    return (
      <Page eyebrow={texts.eyebrow} title={problem ? (isOver ? texts.over : texts.eyebrow) : texts.opening}>
        {problem ? <Notice kind="error">{wordsFor(problem)}</Notice> : <Spinner label={uiTexts.loading} />}
        {problem !== null && problem !== undefined && !isOver && (
          <Button onClick={() => void refetch()}>{uiTexts.tryAgain}</Button>
        )}
      </Page>
    );
  }
  const { name, companyName, doctor, startDate, timeZone } = data;
  return (
    <Page eyebrow={companyName} title={texts.hello(name)}>
      {problem !== null && problem !== undefined && <Notice kind="error">{wordsFor(problem)}</Notice>}
      <p className="rs-text">{texts.invites(companyName, fullName(doctor))}</p>
      <VisitTime startDate={startDate} timeZone={timeZone} />
      <p className="rs-text">{texts.devices}</p>
      <Button busy={isBusy} onClick={() => void join()}>
        {texts.join}
      </Button>
    </Page>
  );
}
