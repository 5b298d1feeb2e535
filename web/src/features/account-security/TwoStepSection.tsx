import { Alert, List, Typography } from '@mui/material';
import {
  createRecoveryCodes,
  getSecondFactor,
  removeAuthenticator,
  type SecondFactor,
  startAuthenticator,
} from '@roomside/contract/account-security/calls.ts';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isUnknown } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate, useRead } from '../../api/use-call.ts';
import { type PasskeyPlace, usePasskeyPlace } from '../../api/use-passkey-place.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { later } from '../../ui/later.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { Entry } from './Entry.tsx';
import { Passkeys } from './Passkeys.tsx';
import { LostCodesDialog, RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { texts as all } from './texts.ts';
import { useConfirmed } from './use-confirmed.tsx';

const texts = all.secondFactor;
// The QR code's encoder is loaded when it is needed.
const AuthenticatorDialog = later(async () => (await import('./AuthenticatorDialog.tsx')).AuthenticatorDialog);

/** My Account: the second factor of the user. */
export function TwoStepSection() {
  const factor = useRead(getSecondFactor, undefined, { staleTime: 0 });
  const place = usePasskeyPlace();
  const client = useQueryClient();
  // The sign-in says whether the company requires another one.
  const onChange = () => void invalidate(client, [getSecondFactor, getSignIn]);
  return (
    <Section title={texts.title}>
      {factor.data && place !== 'unknown' ? (
        <Factors
          factor={factor.data}
          place={place}
          readAgain={async () => (await factor.refetch()).data}
          onChange={onChange}
        />
      ) : factor.error ? (
        <LoadError error={factor.error} onRetry={() => void factor.refetch()} />
      ) : (
        <Typography color="textSecondary">{texts.text}</Typography>
      )}
    </Section>
  );
}

interface FactorsProps {
  factor: SecondFactor;
  /** Where passkeys work. */
  place: Exclude<PasskeyPlace, 'unknown'>;
  readAgain: () => Promise<SecondFactor | undefined>;
  onChange: () => void;
}

function Factors({ factor, place, readAgain, onChange }: FactorsProps) {
  const { run, attempt, dialog } = useConfirmed();
  /** `since`: of the app that is replaced. */
  const [started, setStarted] = useState<ResultOf<typeof startAuthenticator> & { since: string | null }>();
  /** 'lost': created on the server or not, and not received. */
  const [codes, setCodes] = useState<readonly string[] | 'lost'>();
  const announced = useRef<typeof started>(undefined);
  const { authenticatorSince, recoveryCodesLeft, passkeys } = factor;
  const hasApp = authenticatorSince !== null;
  const isOn = hasApp || passkeys.length > 0;

  async function setUp() {
    const done = await run(() => send(startAuthenticator));
    if (done) setStarted({ ...done.result, since: authenticatorSince });
  }
  async function isAppAdded() {
    const since = (await readAgain())?.authenticatorSince ?? null;
    return since !== null && since !== started?.since;
  }
  /** The app may have been added by a request whose response is missing. */
  async function closeApp() {
    setStarted(undefined);
    if (await isAppAdded()) await appAdded();
  }
  async function appAdded() {
    setStarted(undefined);
    // Closed while the request was sent: both find the app. Codes are created once, since new ones replace those on the screen.
    if (announced.current === started) return;
    announced.current = started;
    await added(all.authenticator.done);
  }
  async function added(text: string) {
    toast.success(text);
    if (recoveryCodesLeft === 0) await createCodes();
    onChange();
  }
  async function createCodes() {
    try {
      const done = await attempt(() => send(createRecoveryCodes));
      if (done) setCodes(done.result.codes);
    } catch (error) {
      if (isUnknown(error)) setCodes('lost');
      if (!isUnknown(error) || codes === 'lost') toast.error(wordsFor(error));
    }
  }
  async function createAgain() {
    await createCodes();
    onChange();
  }
  async function askForCodes() {
    const question = { text: texts.createQuestion, details: [texts.createDetail], yes: texts.create, no: texts.cancel };
    if (recoveryCodesLeft === 0 || (await confirm({ ...question, danger: true }))) await createCodes();
    onChange();
  }
  async function remove() {
    const question = {
      text: texts.removeQuestion,
      details: passkeys.length > 0 ? [] : [texts.removeLast],
      yes: texts.remove,
      no: texts.cancel,
    };
    if (!(await confirm({ ...question, danger: true }))) return;
    if (await run(() => send(removeAuthenticator))) toast.success(texts.removed);
    onChange();
  }

  return (
    <>
      <Typography variant="body2" color="textSecondary">
        {texts.text}
      </Typography>
      <Alert severity={isOn ? 'success' : 'info'} role="status">
        {isOn ? texts.on : texts.off}
      </Alert>
      <List disablePadding>
        <Passkeys
          passkeys={passkeys}
          place={place}
          run={run}
          readAgain={readAgain}
          onAdded={() => void added(all.passkeys.added)}
          onChange={onChange}
        />
        <Entry
          title={texts.app}
          text={hasApp ? texts.appSince(formatDate(dateOf(authenticatorSince, ownZone()))) : texts.appNone}
        >
          <Button look="secondary" onClick={() => void setUp()}>
            {hasApp ? texts.replace : texts.setUp}
          </Button>
          {hasApp && (
            <Button look="danger" aria-label={texts.removeApp} onClick={() => void remove()}>
              {texts.remove}
            </Button>
          )}
        </Entry>
        {isOn && (
          <Entry title={texts.recovery} text={texts.left(recoveryCodesLeft)}>
            <Button look="secondary" onClick={() => void askForCodes()}>
              {texts.create}
            </Button>
          </Entry>
        )}
      </List>
      {dialog}
      {started && (
        <AuthenticatorDialog
          started={started}
          isAdded={isAppAdded}
          onClose={() => void closeApp()}
          onAdded={() => void appAdded()}
        />
      )}
      {codes === 'lost' ? (
        <LostCodesDialog onAgain={createAgain} onClose={() => setCodes(undefined)} />
      ) : (
        codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />
      )}
    </>
  );
}
