import { limits } from '@roomside/contract/limits.ts';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { login } from '../../api/auth-calls.ts';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { currentSignIn, setTabKind, startSignIn } from '../../api/sign-in.ts';
import { afterSignIn, guardLink, homeOf, wantsVisit } from '../../guards.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { TextField } from '../../ui/light/TextField.tsx';
import { texts } from './link-texts.ts';

interface Props {
  /** The code of the address: signs in without a click. */
  code?: string | undefined;
  /** Text typed into the static page. */
  typed?: string;
  /** Called once at the first key, to load the next page early. */
  onTyping?: () => void;
}

/** /link and /link/{code}: a patient's sign-in (CODE-1, VALID-1). Works without the router, so that it loads fast. */
export function LinkPage({ code, typed = '', onTyping }: Props) {
  const [value, setValue] = useState(code ?? typed);
  const [fieldError, setFieldError] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(code !== undefined);
  const [isInterrupted] = useState(() => code === undefined && wantsVisit());
  const started = useRef(false);

  async function signIn(accessCode: string) {
    setBusy(true);
    setFailure(undefined);
    setTabKind('patient');
    try {
      const answer = await send(login, { body: { isPatient: true, user: { email: accessCode } } });
      // Patients have no second factor.
      if (answer.signedIn) startSignIn('patient', answer.accessToken);
      leaveFor(code === undefined ? afterSignIn() : homeOf(currentSignIn()));
    } catch (error) {
      setFailure(wordsFor(error));
      setBusy(false);
    }
  }

  const arrive = useEffectEvent(() => {
    if (started.current) return;
    started.current = true;
    if (code !== undefined) return void signIn(code);
    // Redirects a signed-in person; for others a failure of this request does not matter.
    void guardLink()
      .then((path) => path && leaveFor(path))
      .catch(() => undefined);
  });
  useEffect(() => arrive(), []);

  function submit(event: FormEvent) {
    event.preventDefault();
    const accessCode = value.trim();
    if (accessCode === '') return setFieldError(texts.required);
    if (accessCode.length > limits.accessCode) return setFieldError(texts.tooLong(limits.accessCode));
    void signIn(accessCode);
  }

  const opening = busy && code !== undefined;
  return (
    <Page
      eyebrow={texts.title}
      title={texts.heading}
      keepFocus={!opening}
      aside={
        !opening && (
          <a className="rs-link" href={`#${to.login()}`}>
            {texts.providerLogin}
          </a>
        )
      }
    >
      {failure ? (
        <Notice kind="error">{failure}</Notice>
      ) : (
        isInterrupted && !busy && <Notice>{texts.notSignedIn}</Notice>
      )}
      {opening ? (
        <Spinner label={texts.signingIn} />
      ) : (
        <form className="rs-form" onSubmit={submit} noValidate>
          <TextField
            id="access-code"
            label={texts.code}
            value={value}
            onChange={(next) => {
              if (value === '') onTyping?.();
              setValue(next);
              setFieldError(undefined);
            }}
            error={fieldError}
            hint={texts.help}
            required
            maxLength={limits.accessCode}
            autoComplete="one-time-code"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            autoFocus
          />
          <Button type="submit" busy={busy}>
            {texts.submit}
          </Button>
        </form>
      )}
    </Page>
  );
}

/** Replaces the address, so that the code is not in the browser's history. */
function leaveFor(path: string): void {
  location.replace(`#${path}`);
}
