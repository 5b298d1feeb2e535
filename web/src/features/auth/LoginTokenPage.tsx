import { oneTimeLogin, type SecondStep as Step } from '@roomside/contract/auth/calls.ts';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { startSignIn } from '../../api/sign-in.ts';
import { afterSignIn } from '../../guards.ts';
import { to } from '../../paths.ts';
import { ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { LazySecondStep } from './LazySecondStep.tsx';
import { texts } from './texts.ts';

/** LOGIN-3: a one-time token in the link signs in, and is not kept in the browser's history. */
export function LoginTokenPage() {
  const { token = '' } = useParams();
  // Another link in the same tab changes only the part of the address after #.
  return <SignIn key={token} token={token} />;
}

function SignIn({ token }: { token: string }) {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<string>();
  const [step, setStep] = useState<Step>();
  const started = useRef(false);

  const signIn = useEffectEvent(async () => {
    // The token works once.
    if (started.current) return;
    started.current = true;
    try {
      const answer = await send(oneTimeLogin, { body: { token } });
      if (!answer.signedIn) return setStep(answer);
      startSignIn('staff', answer.accessToken);
      await navigate(afterSignIn(), { replace: true });
    } catch (error) {
      setFailure(wordsFor(error));
    }
  });
  useEffect(() => void signIn(), []);
  if (step) return <LazySecondStep step={step} onRestart={() => void navigate(to.login(), { replace: true })} />;

  return (
    <Main title={texts.login.title}>
      {failure ? (
        <>
          <Notice kind="error">{failure}</Notice>
          <ButtonLink href={`#${to.login()}`}>{texts.login.toForm}</ButtonLink>
        </>
      ) : (
        <Spinner label={texts.login.signingIn} />
      )}
    </Main>
  );
}
