import { confirmSignUp } from '@roomside/contract/auth/sign-up-calls.ts';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { startSignIn } from '../../api/sign-in.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './sign-up-texts.ts';

/** /signup/{token}: the link of a sign-up's mail. Creates the company and signs its administrator in. */
export function ConfirmSignUpPage() {
  const { token = '' } = useParams();
  // Another link in the same tab changes only the part of the address after #.
  return <ConfirmForm key={token} token={token} />;
}

function ConfirmForm({ token }: { token: string }) {
  const navigate = useNavigate();
  const [isUsed, setIsUsed] = useState(false);
  const form = useContractForm(confirmSignUp.body, { defaultValues: { token, password: '' } });
  return (
    <Main title={texts.confirm.title} keepFocus>
      <p className="rs-text">{texts.confirm.text}</p>
      <Form
        form={form}
        onSubmit={async (body) => {
          try {
            const { accessToken } = await send(confirmSignUp, { body });
            startSignIn('staff', accessToken);
            toast.success(texts.confirm.done, { across: 'next' });
          } catch (error) {
            setIsUsed(isRefusal(error, 'link-used'));
            throw error;
          }
          await navigate(to.adminHome(), { replace: true });
        }}
      >
        <PasswordInput name="password" label={texts.password} autoFocus required />
        <SubmitButton>{texts.confirm.submit}</SubmitButton>
        {isUsed && (
          <Button look="quiet" to={to.signup()}>
            {texts.confirm.again}
          </Button>
        )}
      </Form>
    </Main>
  );
}
