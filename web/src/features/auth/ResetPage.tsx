import { passwordReset, type SecondStep as Step } from '@roomside/contract/auth/calls.ts';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { startSignIn } from '../../api/sign-in.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { afterSignIn } from '../../guards.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Main } from '../../ui/light/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { LazySecondStep } from './LazySecondStep.tsx';
import { texts } from './reset-texts.ts';

/** ACCOUNT-3: sets a new password by the link of a mail, and signs in. */
export function ResetPage() {
  const { uid = '' } = useParams();
  // Another link in the same tab changes only the part of the address after #.
  return <ResetForm key={uid} uid={uid} />;
}

function ResetForm({ uid }: { uid: string }) {
  const navigate = useNavigate();
  const [isUsed, setIsUsed] = useState(false);
  const [step, setStep] = useState<Step>();
  const form = useContractForm(passwordReset.body, { defaultValues: { user: { refreshToken: uid, password: '' } } });
  if (step)
    return (
      <LazySecondStep
        step={step}
        lead={texts.reset.done}
        onRestart={() => void navigate(to.login(), { replace: true })}
      />
    );
  return (
    <Main title={texts.reset.title} keepFocus>
      <p className="rs-text">{texts.reset.text}</p>
      <Form
        form={form}
        onSubmit={async (body) => {
          try {
            const answer = await send(passwordReset, { body });
            if (!answer.signedIn) return setStep(answer);
            startSignIn('staff', answer.accessToken);
          } catch (error) {
            setIsUsed(isRefusal(error, 'link-used'));
            throw error;
          }
          toast.success(texts.reset.done, { across: 'next' });
          await navigate(afterSignIn(), { replace: true });
        }}
      >
        <PasswordInput
          name="user.password"
          label={texts.reset.password}
          hint={texts.reset.hint}
          isNew
          required
          autoFocus
        />
        <SubmitButton>{texts.reset.submit}</SubmitButton>
        {isUsed && (
          <Button look="quiet" to={to.requestReset()}>
            {texts.reset.again}
          </Button>
        )}
      </Form>
    </Main>
  );
}
