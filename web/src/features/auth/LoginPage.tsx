import { login, type SecondStep as Step } from '@roomside/contract/auth/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { emailPattern, loginEmail, requiredText } from '@roomside/contract/shape.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { type FormEvent, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { continueSignIn, idleEnd, startSignIn } from '../../api/sign-in.ts';
import { useHostBrand } from '../../api/use-host-brand.ts';
import { usePasskeyPlace } from '../../api/use-passkey-place.ts';
import { texts as formTexts } from '../../form/texts.ts';
import { afterSignIn } from '../../guards.ts';
import { to } from '../../paths.ts';
import { later } from '../../ui/later.tsx';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { TextField } from '../../ui/light/TextField.tsx';
import { LazySecondStep } from './LazySecondStep.tsx';
import { passkeyWords } from './passkey-words.ts';
import { texts } from './texts.ts';
import './login.css';

/** Loaded for brands with external providers only. */
const ExternalSignIn = later(
  async () => (await import('../external-sign-in/ExternalSignIn.tsx')).ExternalSignIn,
  () => <Shape />,
);

/** LOGIN-1, LOGIN-2: email and password, or only the brand's external providers. */
export function LoginPage() {
  const brand = useHostBrand();
  const [step, setStep] = useState<Step>();
  const [end, setEnd] = useState<IdleEnd | undefined>(() => idleEnd() ?? undefined);
  const hasProviders = (brand.data?.providers.length ?? 0) > 0;
  if (step) return <LazySecondStep step={step} mayTrust={!hasProviders} onRestart={() => setStep(undefined)} />;
  if (end === 'paused')
    return (
      <Main title={texts.login.title} keepFocus>
        <Paused onDone={setEnd} />
      </Main>
    );
  return (
    <Main title={texts.login.title} keepFocus>
      {end && (
        <div className="login-idle">
          <Notice>{texts.idle[end]}</Notice>
        </div>
      )}
      {brand.isPending ? (
        <Shape />
      ) : brand.data?.providers.length ? (
        <ExternalSignIn providers={brand.data.providers} onSecondStep={setStep} />
      ) : (
        <PasswordForm maySignUp={brand.data?.strictMode === false} onSecondStep={setStep} />
      )}
    </Main>
  );
}

/** `over`: a paused sign-in has ended meanwhile. */
type IdleEnd = NonNullable<ReturnType<typeof idleEnd>> | 'over';

/** After the idle time: continues a sign-in that was paused by it (decision 027). `onDone`: shows the form. */
function Paused({ onDone }: { onDone: (end?: IdleEnd) => void }) {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function proceed() {
    setFailure(undefined);
    setBusy(true);
    try {
      const signIn = await continueSignIn();
      if (signIn.status !== 'in') return onDone('over');
      await navigate(afterSignIn(signIn), { replace: true });
    } catch (error) {
      setFailure(wordsFor(error));
      setBusy(false);
    }
  }

  return (
    <div className="rs-form">
      <Notice kind={failure ? 'error' : 'info'}>{failure ?? texts.idle.paused}</Notice>
      <Button busy={busy} autoFocus onClick={() => void proceed()}>
        {texts.idle.continue}
      </Button>
      <Button look="quiet" onClick={() => onDone()}>
        {texts.idle.another}
      </Button>
    </div>
  );
}

/** VALID-2. */
const schema = z.object({
  email: loginEmail.check(z.regex(emailPattern, fieldTexts.doesntSeemValid)),
  password: requiredText(limits.passwordMax),
});
const fields = ['email', 'password'] as const;
type Field = (typeof fields)[number];

/** The first error of each field. */
function faultsOf(values: Record<Field, string>): Partial<Record<Field, string>> {
  const { error } = schema.safeParse(values);
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path[0], message]).toReversed());
}

/** A form without the staff's form library, for a fast start. A field shows errors after it was left, then on each change. */
function PasswordForm({ maySignUp, onSecondStep }: { maySignUp: boolean; onSecondStep: (step: Step) => void }) {
  const navigate = useNavigate();
  const [values, setValues] = useState({ email: '', password: '' });
  const [remember, setRemember] = useState(false);
  const [left, setLeft] = useState<readonly Field[]>([]);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [visible, setVisible] = useState(false);
  const takesPasskeys = usePasskeyPlace() === 'here' && 'PublicKeyCredential' in globalThis;
  const faults = faultsOf(values);

  const field = (name: Field) => ({
    id: `login-${name}`,
    name,
    label: texts.login[name],
    value: values[name],
    onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
    onBlur: () => setLeft((before) => [...before, name]),
    error: left.includes(name) ? faults[name] : undefined,
    required: true,
  });

  async function submit(event: FormEvent) {
    event.preventDefault();
    setLeft(fields);
    setFailure(undefined);
    const wrong = fields.find((name) => faults[name]);
    if (wrong) return document.querySelector<HTMLElement>(`#login-${wrong}`)?.focus();
    setBusy(true);
    try {
      const answer = await send(login, { body: { isPatient: false, user: { ...values, remember } } });
      if (!answer.signedIn) return onSecondStep(answer);
      startSignIn('staff', answer.accessToken);
      await navigate(afterSignIn(), { replace: true });
    } catch (error) {
      setFailure(wordsFor(error));
      setBusy(false);
    }
  }

  async function startPasskey() {
    setFailure(undefined);
    setBusy(true);
    try {
      const { signInWithPasskey } = await import('./use-passkey.ts');
      const { accessToken } = await signInWithPasskey(remember);
      startSignIn('staff', accessToken);
      await navigate(afterSignIn(), { replace: true });
    } catch (error) {
      setFailure(passkeyWords(error));
      setBusy(false);
    }
  }

  const eye = visible ? formTexts.hidePassword : formTexts.showPassword;
  return (
    <form className="rs-form" onSubmit={(event) => void submit(event)} noValidate>
      {failure && <Notice kind="error">{failure}</Notice>}
      <TextField
        {...field('email')}
        type="email"
        inputMode="email"
        maxLength={limits.email}
        autoComplete="username"
        autoFocus
      />
      <TextField
        {...field('password')}
        type={visible ? 'text' : 'password'}
        maxLength={limits.passwordMax}
        autoComplete="current-password"
        end={
          <button type="button" className="login-eye" aria-label={eye} onClick={() => setVisible(!visible)}>
            {visible ? texts.login.hide : texts.login.show}
          </button>
        }
      />
      <div className="login-remember">
        <input
          id="login-remember"
          type="checkbox"
          role="switch"
          aria-checked={remember}
          checked={remember}
          onChange={(event) => setRemember(event.target.checked)}
          aria-describedby="login-remember-hint"
        />
        <label htmlFor="login-remember">{texts.login.remember}</label>
        <span id="login-remember-hint">{texts.login.rememberHint}</span>
      </div>
      <Button type="submit" busy={busy}>
        {texts.login.submit}
      </Button>
      {takesPasskeys && (
        <Button look="secondary" onClick={() => busy || void startPasskey()}>
          {texts.login.passkey}
        </Button>
      )}
      <div className="login-links">
        <Link className="rs-link" to={to.requestReset()}>
          {texts.login.reset}
        </Link>
        {maySignUp && (
          <Link className="rs-link" to={to.signup()}>
            {texts.login.signUp}
          </Link>
        )}
      </div>
    </form>
  );
}

/** A placeholder as high as the form. */
function Shape() {
  return <div aria-busy className="login-shape" />;
}
