import { Alert, Box, Typography } from '@mui/material';
import { instantBody } from '@roomside/contract/appointments/calls.ts';
import { may } from '@roomside/contract/permissions.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { Form } from '../../form/Form.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { EmailInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { texts } from './instant-texts.ts';
import { useInstantAppointment } from './use-instant-appointment.ts';

/** INSTANT-1: an instant appointment for an email or a cell phone; A and D only (ROLE-5). */
export function InstantAppointmentPage() {
  const signIn = useSignIn();
  const allowed = signIn.status === 'in' && may(signIn.caller, 'appointment.instant');
  return (
    <Page title={texts.title} width="form">
      {allowed ? (
        <InstantForm />
      ) : (
        <Alert
          severity="info"
          action={
            <Button look="quiet" to={to.waitingRoom()}>
              {texts.waitingRoom}
            </Button>
          }
        >
          {texts.notAllowed}
        </Alert>
      )}
    </Page>
  );
}

function InstantForm() {
  const { start } = useInstantAppointment();
  const form = useContractForm(instantBody, { defaultValues: { email: '', phone: '' } });
  return (
    <Box sx={{ maxWidth: 480, display: 'grid', gap: 3 }}>
      <Typography color="textSecondary">{texts.intro}</Typography>
      <Form
        form={form}
        onSubmit={async (body) => {
          await start(body);
        }}
      >
        <EmailInput name="email" label={texts.email} hint={texts.either} autoFocus />
        <PhoneInput name="phone" label={texts.phone} />
        <Box>
          <SubmitButton disabled={!form.formState.isValid}>{texts.submit}</SubmitButton>
        </Box>
      </Form>
    </Box>
  );
}
