import { confirmIdentity } from '@roomside/contract/account-security/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { requiredText } from '@roomside/contract/shape.ts';
import * as z from 'zod/mini';
import { send } from '../../api/send.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { texts as all } from './texts.ts';

const texts = all.confirm;
const schema = z.object({ currentPassword: requiredText(limits.passwordMax) });

/** Asks for the current password. `onDone` gets false when it is canceled. */
export function ConfirmIdentityDialog({ onDone }: { onDone: (isConfirmed: boolean) => void }) {
  const form = useContractForm(schema, { defaultValues: { currentPassword: '' } });
  return (
    <DialogFrame title={texts.title} text={texts.text} onClose={() => onDone(false)}>
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
    </DialogFrame>
  );
}
