import {
  completeSignIn,
  type SecondStepMethod,
  type SignedIn,
  type SecondStep as Step,
} from '@roomside/contract/auth/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { startSignIn } from '../../api/sign-in.ts';
import { usePasskeyPlace } from '../../api/use-passkey-place.ts';
import { afterSignIn } from '../../guards.ts';
import { to } from '../../paths.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { TextField } from '../../ui/light/TextField.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { passkeyWords } from './passkey-words.ts';
import { texts } from './second-step-texts.ts';
import './login.css';

interface Props {
  step: Step;
  /** What has happened before. */
  lead?: string;
  /** False after an external provider, which a remembered device does not replace (decision 059). */
  mayTrust?: boolean;
  /** Back to the first step. */
  onRestart: () => void;
}

/** After the password or a link: completes the sign-in by a passkey, a code of the authenticator app or a recovery code. */
export function SecondStep({ step, lead, mayTrust = true, onRestart }: Props) {
  const [chosen, setChosen] = useState<SecondStepMethod>();
  const [expired, setExpired] = useState<string>();
  const place = usePasskeyPlace();
  if (place === 'unknown')
    return (
      <Main title={texts.title}>
        <Spinner label={uiTexts.loading} />
      </Main>
    );
  const methods = place === 'here' ? step.methods : step.methods.filter((one) => one !== 'passkey');
  const method = methods.find((one) => one === chosen) ?? methods[0];
  return (
    <Main title={texts.title} keepFocus={method !== undefined && !expired}>
      {lead && <Notice kind="success">{lead}</Notice>}
      {expired ? (
        <div className="rs-form">
          <Notice kind="error">{expired}</Notice>
          <Button onClick={onRestart}>{texts.restart}</Button>
        </div>
      ) : method === undefined ? (
        <div className="rs-form">
          {place !== 'here' && <PasskeyElsewhere place={place} />}
          <Button look="quiet" onClick={onRestart}>
            {texts.restart}
          </Button>
        </div>
      ) : (
        <MethodForm method={method} mayTrust={mayTrust} key={method} ticket={step.ticket} onExpired={setExpired}>
          {methods
            .filter((other) => other !== method)
            .map((other) => (
              <Button key={other} look="secondary" onClick={() => setChosen(other)}>
                {texts[other].other}
              </Button>
            ))}
          <Button look="quiet" onClick={onRestart}>
            {texts.restart}
          </Button>
        </MethodForm>
      )}
    </Main>
  );
}

/** The user has only passkeys, which do not work on pages of this address. */
function PasskeyElsewhere({ place: { host, origin } }: { place: URL }) {
  return (
    <>
      <p className="rs-text">{texts.passkey.elsewhere(host)}</p>
      <ButtonLink look="primary" href={`${origin}/#${to.login()}`}>
        {texts.passkey.there(host)}
      </ButtonLink>
    </>
  );
}

function MethodForm(props: FormProps) {
  return props.method === 'passkey' ? <PasskeyForm {...props} /> : <CodeForm {...props} method={props.method} />;
}

interface FormProps {
  ticket: string;
  method: SecondStepMethod;
  mayTrust: boolean;
  onExpired: (reason: string) => void;
  children: ReactNode;
}

/** Completes the sign-in. `failure` is what went wrong. */
function useCompletion(onExpired: (reason: string) => void) {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function complete(work: () => Promise<SignedIn>): Promise<void> {
    setFailure(undefined);
    setBusy(true);
    try {
      const { accessToken } = await work();
      startSignIn('staff', accessToken);
      await navigate(afterSignIn(), { replace: true });
    } catch (error) {
      setBusy(false);
      if (isRefusal(error, 'sign-in-expired')) onExpired(wordsFor(error));
      else setFailure(passkeyWords(error));
    }
  }
  return { failure, busy, complete };
}

function PasskeyForm({ ticket, mayTrust, onExpired, children }: FormProps) {
  const [trustDevice, setTrustDevice] = useState(false);
  const { failure, busy, complete } = useCompletion(onExpired);
  const use = async () => (await import('./use-passkey.ts')).completeWithPasskey(ticket, trustDevice);
  return (
    <div className="rs-form">
      <p className="rs-text">{texts.passkey.text}</p>
      {failure && <Notice kind="error">{failure}</Notice>}
      {mayTrust && <TrustSwitch checked={trustDevice} onChange={setTrustDevice} />}
      <Button busy={busy} autoFocus onClick={() => void complete(use)}>
        {texts.passkey.submit}
      </Button>
      {children}
      <p className="rs-text">{texts.help}</p>
    </div>
  );
}

type CodeFormProps = FormProps & { method: 'authenticator' | 'recovery' };

function CodeForm({ ticket, method, mayTrust, onExpired, children }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [trustDevice, setTrustDevice] = useState(false);
  const [error, setError] = useState<string>();
  const { failure, busy, complete } = useCompletion(onExpired);
  const form = useRef<HTMLFormElement>(null);

  function focusCode() {
    form.current?.querySelector<HTMLElement>('#second-step-code')?.focus();
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (code.trim() === '') {
      setError(texts.required);
      return focusCode();
    }
    await complete(() => send(completeSignIn, { body: { ticket, method, code, trustDevice } }));
    setCode('');
    focusCode();
  }

  return (
    <form ref={form} className="rs-form" onSubmit={(event) => void submit(event)} noValidate>
      <p className="rs-text">{texts[method].text}</p>
      {failure && <Notice kind="error">{failure}</Notice>}
      <TextField
        id="second-step-code"
        label={texts[method].label}
        value={code}
        onChange={(value) => {
          setCode(value);
          setError(undefined);
        }}
        error={error}
        maxLength={limits.secondFactorCode}
        {...(method === 'authenticator' && { inputMode: 'numeric' })}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        required
      />
      {mayTrust && <TrustSwitch checked={trustDevice} onChange={setTrustDevice} />}
      <Button type="submit" busy={busy}>
        {texts.submit}
      </Button>
      {children}
      <p className="rs-text">{texts.help}</p>
    </form>
  );
}

function TrustSwitch({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <div className="login-remember">
      <input
        id="second-step-trust"
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby="second-step-trust-hint"
      />
      <label htmlFor="second-step-trust">{texts.trust}</label>
      <span id="second-step-trust-hint">{texts.trustHint}</span>
    </div>
  );
}
