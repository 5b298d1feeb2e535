import { Box } from '@mui/material';
import { getBrand } from '@roomside/contract/auth/calls.ts';
import { signUp } from '@roomside/contract/auth/sign-up-calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { useRead } from '../../api/use-call.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { EmailInput, TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { ZoneInput } from '../../form/ZoneInput.tsx';
import { to } from '../../paths.ts';
import { ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { Pair } from '../../ui/Section.tsx';
import { texts } from './sign-up-texts.ts';

/** ACCOUNT-1: /signup, a new company with its first administrator. Not on the pages of a strict brand. */
export function SignUpPage() {
  const { data: brand, error } = useRead(getBrand, { query: { host: location.hostname } });
  const [sentTo, setSentTo] = useState<string>();
  if (sentTo !== undefined) return <Sent email={sentTo} onAgain={() => setSentTo(undefined)} />;
  return (
    <Main title={texts.title} keepFocus>
      {error ? (
        <Notice kind="error">{wordsFor(error)}</Notice>
      ) : !brand ? (
        <Loading />
      ) : brand.strictMode ? (
        <>
          <p className="rs-text">{texts.closed}</p>
          <Button look="primary" to={to.login()}>
            {texts.backToLogin}
          </Button>
        </>
      ) : (
        <SignUpForm onSent={setSentTo} />
      )}
    </Main>
  );
}

function SignUpForm({ onSent }: { onSent: (email: string) => void }) {
  const form = useContractForm(signUp.body, {
    defaultValues: {
      user: {
        companyName: '',
        timeZone: ownZone(),
        firstName: '',
        lastName: '',
        email: '',
        phone: '',
        password: '',
      },
    },
  });
  return (
    <>
      <p className="rs-text">
        {texts.intro} {texts.trial}
      </p>
      <Form
        form={form}
        onSubmit={async (body) => {
          await send(signUp, { body });
          onSent(body.user.email.trim());
        }}
      >
        <TextInput
          name="user.companyName"
          label={texts.companyName}
          maxLength={limits.name}
          autoComplete="organization"
          required
          autoFocus
        />
        <ZoneInput name="user.timeZone" />
        <Pair>
          <TextInput
            name="user.firstName"
            label={texts.firstName}
            maxLength={limits.name}
            autoComplete="given-name"
            required
          />
          <TextInput
            name="user.lastName"
            label={texts.lastName}
            maxLength={limits.name}
            autoComplete="family-name"
            required
          />
        </Pair>
        <EmailInput name="user.email" label={texts.email} autoComplete="username" required />
        <PhoneInput name="user.phone" label={texts.phone} />
        <PasswordInput name="user.password" label={texts.password} hint={texts.passwordHint} isNew required />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}>
          <SubmitButton>{texts.submit}</SubmitButton>
          <Button look="quiet" to={to.login()}>
            {texts.login}
          </Button>
        </Box>
      </Form>
    </>
  );
}

/** The same for known and unknown emails. */
function Sent({ email, onAgain }: { email: string; onAgain: () => void }) {
  return (
    <Main title={texts.sent.title}>
      <p className="rs-text">{texts.sent.text(email)}</p>
      <p className="rs-text">{texts.sent.note}</p>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}>
        <Button look="secondary" onClick={onAgain}>
          {texts.sent.again}
        </Button>
        <Button look="quiet" to={to.login()}>
          {texts.backToLogin}
        </Button>
      </Box>
    </Main>
  );
}
