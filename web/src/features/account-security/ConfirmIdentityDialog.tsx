import { Box, Skeleton } from '@mui/material';
import { confirmIdentity, getSecondFactor } from '@roomside/contract/account-security/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { requiredText } from '@roomside/contract/shape.ts';
import { useState } from 'react';
import * as z from 'zod/mini';
import { wordsFor } from '../../api/errors.ts';
import { OfflineError, ProblemError } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useRead } from '../../api/use-call.ts';
import { usePasskeyPlace } from '../../api/use-passkey-place.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { toast } from '../../ui/toast.ts';
import { texts as all } from './texts.ts';

const texts = all.confirm;
const schema = z.object({ currentPassword: requiredText(limits.passwordMax) });

interface Props {
  /** Gets false when it is cancelled. */
  onDone: (isConfirmed: boolean) => void;
}

/** Asks for the current password or a passkey, of which the user may have only one. */
export function ConfirmIdentityDialog({ onDone }: Props) {
  const { data, error, refetch } = useRead(getSecondFactor);
  const place = usePasskeyPlace();
  const close = () => onDone(false);
  if (!data || place === 'unknown')
    return (
      <DialogFrame title={texts.title} onClose={close}>
        {error ? (
          <LoadError error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton variant="rounded" height={96} />
        )}
        <Cancel onClick={close} />
      </DialogFrame>
    );
  const hasPasskey = data.passkeys.length > 0 && place === 'here' && 'PublicKeyCredential' in globalThis;
  const text = data.hasPassword ? texts.text : hasPasskey ? texts.byPasskey : texts.signInAgain;
  return (
    <DialogFrame title={texts.title} text={text} onClose={close}>
      <Box sx={{ mt: 2 }}>
        {hasPasskey && <ByPasskey isAlone={!data.hasPassword} onDone={onDone} />}
        {data.hasPassword ? <ByPassword onDone={onDone} /> : <Cancel onClick={close} />}
      </Box>
    </DialogFrame>
  );
}

function Cancel({ onClick }: { onClick: () => void }) {
  return (
    <DialogFormActions>
      <Button look="quiet" onClick={onClick}>
        {texts.cancel}
      </Button>
    </DialogFormActions>
  );
}

function ByPassword({ onDone }: Props) {
  const form = useContractForm(schema, { defaultValues: { currentPassword: '' } });
  return (
    <Form
      form={form}
      onSubmit={async (body) => {
        await send(confirmIdentity, { body });
        onDone(true);
      }}
    >
      <PasswordInput name="currentPassword" label={texts.password} required autoFocus />
      <DialogFormActions>
        <Button look="quiet" onClick={() => onDone(false)}>
          {texts.cancel}
        </Button>
        <SubmitButton>{texts.submit}</SubmitButton>
      </DialogFormActions>
    </Form>
  );
}

function ByPasskey({ isAlone, onDone }: Props & { isAlone: boolean }) {
  const [isAsking, setAsking] = useState(false);
  async function ask() {
    setAsking(true);
    try {
      const { confirmWithPasskey } = await import('./confirm-with-passkey.ts');
      await confirmWithPasskey();
      onDone(true);
    } catch (error) {
      const isOurs = error instanceof ProblemError || error instanceof OfflineError;
      // The browser's own error: the person cancelled, or the device does not have the passkey.
      toast.error(isOurs ? wordsFor(error) : texts.passkeyFailed);
      setAsking(false);
    }
  }
  return (
    <Button look={isAlone ? 'primary' : 'secondary'} loading={isAsking} onClick={() => void ask()} sx={{ mb: 2 }}>
      {texts.usePasskey}
    </Button>
  );
}
