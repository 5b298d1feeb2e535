import { Box, Typography } from '@mui/material';
import { getSecondFactor, listSignIns } from '@roomside/contract/account-security/calls.ts';
import { requestPasswordReset } from '@roomside/contract/auth/calls.ts';
import { getProviderCalendar } from '@roomside/contract/calendars/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import { getAccount, type Provider, saveAccount } from '@roomside/contract/users/calls.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { useIsClinicOpen } from '../../api/use-closed.ts';
import { usePasskeyPlace } from '../../api/use-passkey-place.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { EmailInput, TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { useReached } from '../../ui/use-reached.ts';
import { SignedInDevices } from '../account-security/SignedInDevices.tsx';
import { TwoStepSection } from '../account-security/TwoStepSection.tsx';
import { useConfirmed } from '../account-security/use-confirmed.tsx';
import { CalendarSection } from '../calendars/CalendarSection.tsx';
import { accountSchema, isSensitive, toBody, toForm } from './account-form.ts';
import { texts } from './texts.ts';
import { userReads } from './user-reads.ts';

/** /user: the user's own record (ENTITY-3, MENU-3). */
export function AccountPage() {
  const account = useRead(getAccount, undefined, { staleTime: 0 });
  const factor = useRead(getSecondFactor);
  const signIn = useSignIn();
  const caller = signIn.status === 'in' ? signIn : undefined;
  const isOpen = useIsClinicOpen();
  const hasCalendar = isOpen && (caller?.caller === 'A' || caller?.caller === 'D');
  const params = { userId: Number(caller?.claims.sub) };
  const calendar = useRead(getProviderCalendar, { params }, { staleTime: 0, enabled: hasCalendar });
  const devices = useRead(listSignIns, undefined, { staleTime: 0 });
  // A section that grows later would move what is below it away from the pointer. Sections show their own errors.
  const isPlaceRead = usePasskeyPlace() !== 'unknown';
  const areSectionsRead = devices.isFetchedAfterMount && isPlaceRead && (!hasCalendar || calendar.isFetchedAfterMount);
  const isRead = account.isFetchedAfterMount && account.data !== undefined && factor.data !== undefined;
  // Later reads do not hide the form, such as that of the calendar after the license was renewed: what is typed would be lost.
  const isShown = useReached(isRead && areSectionsRead);
  const error = account.error ?? factor.error;
  return (
    <Page title={texts.title} width="form">
      {isShown && account.data && factor.data ? (
        <AccountEditor stored={account.data} hasPassword={factor.data.hasPassword} hasCalendar={hasCalendar} />
      ) : error ? (
        <LoadError error={error} onRetry={() => void Promise.all([account.refetch(), factor.refetch()])} />
      ) : (
        <FormSkeleton sections={[4, 2, 1]} />
      )}
    </Page>
  );
}

const nameOf = ({ firstName, lastName }: Provider) => `${firstName} ${lastName}`;

interface EditorProps {
  stored: ResultOf<typeof getAccount>;
  hasPassword: boolean;
  hasCalendar: boolean;
}

function AccountEditor({ stored, hasPassword, hasCalendar }: EditorProps) {
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  // The version that the form started from; later versions are used only after a save or a conflict.
  const [read, setRead] = useState(stored);
  const form = useContractForm(accountSchema(read, hasPassword), { defaultValues: toForm(read) });
  const { attempt, dialog } = useConfirmed();
  const stale = useStale(form);
  useUnsaved(form);
  const save = useChange(saveAccount, { invalidates: [getAccount, ...userReads], onError: () => true });
  const [email, phone, passwordString] = useWatch({
    control: form.control,
    name: ['email', 'phone', 'passwordString'],
  });
  const asksPassword = isSensitive({ email, phone, passwordString }, read);

  return (
    <Box sx={{ display: 'grid', gap: 3 }}>
      <Form
        form={form}
        onSubmit={async (values) => {
          const { shown, takeOver } = beginSave(form);
          function done(saved: typeof read) {
            setRead(saved);
            takeOver(toForm(saved));
            stale.clear();
            toast.success(texts.saved);
          }
          try {
            const body = toBody(values, read.userId, read);
            const answer = await attempt(() => save.mutateAsync({ body }));
            if (answer) done({ ...read, ...body, version: answer.result.version });
          } catch (error) {
            if (!isRefusal(error, 'stale')) throw error;
            const fresh = await send(getAccount);
            if (isStored(shown, toForm(fresh))) return done(fresh);
            setRead(fresh);
            stale.merge(toForm(fresh));
          }
        }}
      >
        <StaleNotice stale={stale} labels={texts} />
        <Section title={texts.person}>
          <Pair>
            <TextInput
              name="firstName"
              label={texts.firstName}
              maxLength={limits.name}
              required
              autoComplete="given-name"
            />
            <TextInput
              name="lastName"
              label={texts.lastName}
              maxLength={limits.name}
              required
              autoComplete="family-name"
            />
          </Pair>
          <Pair>
            <EmailInput name="email" label={texts.email} required autoComplete="email" />
            <PhoneInput name="phone" label={texts.phone} />
          </Pair>
        </Section>
        <Section title={texts.arrivals}>
          <Box sx={{ display: 'grid' }}>
            <SwitchInput name="byEmail" label={texts.byEmail} />
            <SwitchInput name="byText" label={texts.byText} />
          </Box>
          {!isSuper && (
            <Typography variant="body2" color="textSecondary">
              {texts.arrivalsOf(stored.notifyForUsers.map(nameOf), stored.notifyOfOwn)} {texts.arrivalsBy}
            </Typography>
          )}
        </Section>
        <Section title={texts.password}>
          {hasPassword ? (
            <Pair>
              <PasswordInput name="passwordString" label={texts.newPassword} hint={texts.newPasswordHint} isNew />
              {asksPassword && (
                <PasswordInput
                  name="currentPassword"
                  label={texts.currentPassword}
                  hint={texts.currentPasswordHint}
                  required
                />
              )}
            </Pair>
          ) : (
            <NoPassword email={read.email} />
          )}
        </Section>
        <Box>
          <SubmitButton />
        </Box>
      </Form>
      {dialog}
      {hasCalendar && <CalendarSection userId={read.userId} />}
      <TwoStepSection />
      <SignedInDevices />
    </Box>
  );
}

/** A user who signs in by a passkey or another provider only. */
function NoPassword({ email }: { email: string }) {
  const ask = useChange(requestPasswordReset, { onSuccess: () => void toast.success(texts.linkSent(email)) });
  return (
    <Box sx={{ display: 'grid', gap: 1.5, justifyItems: 'start' }}>
      <Typography>{texts.noPassword}</Typography>
      <Button look="secondary" loading={ask.isPending} onClick={() => ask.mutate({ body: { email } })}>
        {texts.sendLink}
      </Button>
    </Box>
  );
}
