import { Box, Button, Link, Skeleton, Tooltip } from '@mui/material';
import { getBrand, login } from '@roomside/contract/auth/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import { emailPattern, loginEmail, requiredText } from '@roomside/contract/shape.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { Link as RouterLink, useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { send } from '../../api/send.ts';
import { startSession } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { EmailInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { afterSignIn } from '../../guards.ts';
import { to } from '../../paths.ts';
import { Main } from '../../ui/light/Page.tsx';
import { useIsRegistered } from '../../ui/registered.ts';
import { texts } from './texts.ts';

type Brand = ResultOf<typeof getBrand>;

/** LOGIN-1, LOGIN-2: email and password, or only the providers that the host's brand lists. */
export function LoginPage() {
  const brand = useRead(getBrand, { query: { host: location.hostname } }, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <Main title={texts.login.title} keepFocus>
      {brand.isPending ? (
        <Shape />
      ) : brand.data?.providers.length ? (
        <ProviderButtons providers={brand.data.providers} />
      ) : (
        <PasswordForm maySignUp={brand.data?.strictMode === false} />
      )}
    </Main>
  );
}

/** VALID-2. */
const schema = z.object({
  email: loginEmail.check(z.regex(emailPattern, fieldTexts.doesntSeemValid)),
  password: requiredText(limits.passwordMax),
  remember: z.boolean(),
});

function PasswordForm({ maySignUp }: { maySignUp: boolean }) {
  const navigate = useNavigate();
  const isRegistered = useIsRegistered();
  const form = useContractForm(schema, { defaultValues: { email: '', password: '', remember: false } });
  return (
    <Form
      form={form}
      onSubmit={async (user) => {
        const { accessToken } = await send(login, { body: { isPatient: false, user } });
        startSession('staff', accessToken);
        await navigate(afterSignIn(), { replace: true });
      }}
    >
      <EmailInput name="email" label={texts.login.email} autoFocus autoComplete="username" />
      <PasswordInput name="password" label={texts.login.password} />
      <SwitchInput name="remember" label={texts.login.remember} hint={texts.login.rememberHint} />
      <SubmitButton>{texts.login.submit}</SubmitButton>
      <Box sx={{ display: 'flex', justifyContent: 'space-between' }}>
        <Link component={RouterLink} to={to.requestReset()} sx={tall}>
          {texts.login.reset}
        </Link>
        {maySignUp && isRegistered(to.signup()) && (
          <Link component={RouterLink} to={to.signup()} sx={tall}>
            {texts.login.signUp}
          </Link>
        )}
      </Box>
    </Form>
  );
}

function ProviderButtons({ providers }: { providers: Brand['providers'] }) {
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      {providers.map(({ providerName, providerClass, description, logoUrl }) => (
        <Tooltip key={providerName} title={`${providerClass} ${description}`} describeChild>
          <Button
            variant="outlined"
            color="secondary"
            size="large"
            href={`/api/auth/external/${encodeURIComponent(providerName)}`}
            startIcon={logoUrl ? <img src={logoUrl} alt="" width="24" height="24" /> : undefined}
            sx={{ minHeight: 56 }}
          >
            {texts.login.with(description)}
          </Button>
        </Tooltip>
      ))}
    </Box>
  );
}

function Shape() {
  return (
    <Box aria-busy sx={{ display: 'grid', gap: 2.5 }}>
      {[0, 1, 2].map((field) => (
        <Skeleton key={field} variant="rounded" height={56} />
      ))}
    </Box>
  );
}

const tall = { display: 'inline-flex', alignItems: 'center', minHeight: 44 } as const;
