import { Box, Typography } from '@mui/material';
import { confirmAuthenticator, type startAuthenticator } from '@roomside/contract/account-security/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import { requiredText } from '@roomside/contract/shape.ts';
import * as z from 'zod/mini';
import { isUnknown } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { Form } from '../../form/Form.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { QrCode } from './QrCode.tsx';
import { texts as all } from './texts.ts';

const texts = all.authenticator;
const schema = z.object({ code: requiredText(limits.secondFactorCode) });

interface Props {
  started: ResultOf<typeof startAuthenticator>;
  /** Reads whether the app was added, when the response is missing. */
  isAdded: () => Promise<boolean>;
  onClose: () => void;
  onAdded: () => void;
}

/** Shows the secret as a QR code and as text, and asks for the first code of the app. */
export function AuthenticatorDialog({ started, isAdded, onClose, onAdded }: Props) {
  const form = useContractForm(schema, { defaultValues: { code: '' } });
  return (
    <DialogFrame title={texts.title} text={texts.scan} onClose={onClose}>
      <Box sx={{ display: 'grid', gap: 2, pt: 2 }}>
        <QrCode text={started.uri} label={texts.qr} />
        <Typography>
          {texts.type}{' '}
          <Box component="strong" aria-label={texts.key} role="group" sx={{ overflowWrap: 'anywhere' }}>
            {started.secret.match(/.{1,4}/g)?.join(' ')}
          </Box>
        </Typography>
        <Typography>{texts.enter}</Typography>
        <Form
          form={form}
          onSubmit={async (body) => {
            try {
              await send(confirmAuthenticator, { body });
            } catch (error) {
              if (!isUnknown(error) || !(await isAdded())) throw error;
            }
            onAdded();
          }}
        >
          <TextInput
            name="code"
            label={texts.code}
            maxLength={limits.secondFactorCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
          />
          <DialogFormActions>
            <Button look="quiet" onClick={onClose}>
              {texts.cancel}
            </Button>
            <SubmitButton>{texts.submit}</SubmitButton>
          </DialogFormActions>
        </Form>
      </Box>
    </DialogFrame>
  );
}
