import type { getBrand, SecondStep } from '@roomside/contract/auth/calls.ts';
import { fillPath, type ResultOf } from '@roomside/contract/call.ts';
import {
  continueExternalSignIn,
  externalFailures,
  failedQuery,
  secondStepQuery,
  startExternalSignIn,
} from '@roomside/contract/external-sign-in/calls.ts';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts } from './texts.ts';

interface Props {
  providers: ResultOf<typeof getBrand>['providers'];
  onSecondStep: (step: SecondStep) => void;
}

/** LOGIN-2: a brand's external providers, what went wrong with the last one, and the way on to the second factor. */
export function ExternalSignIn({ providers, onSecondStep }: Props) {
  const [query, setQuery] = useSearchParams();
  const [failure, setFailure] = useState(failureOf(query.get(failedQuery)));
  const isOnItsWay = query.get(secondStepQuery.name) === secondStepQuery.value;
  const started = useRef(false);

  const goOn = useEffectEvent(async () => {
    // The ticket is given once.
    if (!isOnItsWay || started.current) return;
    started.current = true;
    try {
      const step = await send(continueExternalSignIn);
      setQuery({}, { replace: true });
      onSecondStep(step);
    } catch (error) {
      setFailure(wordsFor(error));
      setQuery({}, { replace: true });
    }
  });
  useEffect(() => void goOn(), []);

  if (isOnItsWay) return <Spinner label={texts.signingIn} />;
  return (
    <div className="rs-form">
      {failure && <Notice kind="error">{failure}</Notice>}
      {providers.map(({ providerName, providerClass, description, logoUrl }) => (
        <ButtonLink
          key={providerName}
          title={`${providerClass} ${description}`}
          href={fillPath(startExternalSignIn.path, { providerName })}
        >
          {logoUrl && <img src={logoUrl} alt="" width="24" height="24" />}
          {texts.with(description)}
        </ButtonLink>
      ))}
    </div>
  );
}

function failureOf(reason: string | null): string | undefined {
  const known = externalFailures.find((one) => one === reason);
  return known && texts.failures[known];
}
