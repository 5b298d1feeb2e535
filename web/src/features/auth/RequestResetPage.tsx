import { Box } from '@mui/material';
import { requestPasswordReset } from '@roomside/contract/auth/calls.ts';
import { send } from '../../api/send.ts';
import { Form } from '../../form/Form.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { EmailInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './reset-texts.ts';

/** How long the confirmation is shown, ms (ERROR-8). */
const sentMs = 10_000;

/** ACCOUNT-2: requests the link; the message is the same for known and unknown emails. */
export function RequestResetPage() {
  const form = useContractForm(requestPasswordReset.body, { defaultValues: { email: '' } });
  return (
    <Main title={texts.requestReset.title} keepFocus>
      <p className="rs-text">{texts.requestReset.text}</p>
      <Form
        form={form}
        onSubmit={async (body) => {
          await send(requestPasswordReset, { body });
          toast.success(texts.requestReset.sent, { duration: sentMs, across: 'next' });
        }}
      >
        <EmailInput name="email" label={texts.requestReset.email} required autoFocus autoComplete="username" />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}>
          <SubmitButton>{texts.requestReset.submit}</SubmitButton>
          <Button look="quiet" to={to.login()}>
            {texts.requestReset.login}
          </Button>
        </Box>
      </Form>
    </Main>
  );
}
