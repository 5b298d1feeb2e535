import { Box } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import { requiredLine } from '@roomside/contract/shape.ts';
import * as z from 'zod/mini';
import { Form } from '../../form/Form.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { texts as all } from './texts.ts';

const texts = all.passkeys;
const schema = z.object({ name: requiredLine(limits.name) });

interface Props {
  title: string;
  name: string;
  submit: string;
  onClose: () => void;
  onName: (name: string) => void;
}

/** Asks for the name of a passkey. */
export function PasskeyNameDialog({ title, name, submit, onClose, onName }: Props) {
  const form = useContractForm(schema, { defaultValues: { name } });
  return (
    <DialogFrame title={title} text={texts.nameHint} onClose={onClose}>
      <Box sx={{ mt: 2 }}>
        <Form form={form} onSubmit={async (values) => onName(values.name.trim())}>
          <TextInput name="name" label={texts.name} maxLength={limits.name} required autoFocus />
          <DialogFormActions>
            <Button look="quiet" onClick={onClose}>
              {texts.cancel}
            </Button>
            <SubmitButton>{submit}</SubmitButton>
          </DialogFormActions>
        </Form>
      </Box>
    </DialogFrame>
  );
}
