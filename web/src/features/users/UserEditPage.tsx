import { Autocomplete, Box, Link, TextField, Typography } from '@mui/material';
import { getCompany } from '@roomside/contract/companies/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import {
  disconnectUser,
  endUserSignIns,
  getUser,
  inviteUser,
  listDoctors,
  listRoles,
  listUsers,
  resetSecondFactor,
  roleNameOf,
  saveUser,
  roles as userRoles,
} from '@roomside/contract/users/calls.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { Link as RouterLink, useParams, useSearchParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { Form } from '../../form/Form.tsx';
import { MoneyInput } from '../../form/MoneyInput.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { EmailInput, TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useField } from '../../form/use-field.ts';
import { type Stale, useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useGoBack } from '../../go-back.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { CalendarSection } from '../calendars/CalendarSection.tsx';
import {
  asStored,
  blankUser,
  isProvider,
  type StoredUser,
  toBody,
  toForm,
  type UserForm,
  userSchema,
} from './user-form.ts';
import { userReads } from './user-reads.ts';
import { texts, upcomingDurationMs } from './user-texts.ts';

/**
 * USERS-4 to USERS-6: /admin/user/edit/{id}, 0 = new, of the company in the path. `?role=D`, or the page /admin/user/0/D, is a new provider
 * (APPT-2).
 */
export function UserEditPage({ roleId: chosen = '' }: { roleId?: UserForm['roleId'] }) {
  const params = useParams();
  const [search] = useSearchParams();
  const roleId = userRoles.find((role) => role.roleId === search.get('role'))?.roleId ?? chosen;
  const userId = Math.max(0, Number(params['id']) || 0);
  const companyId = Number(params['company']) || undefined;
  const stored = useRead(getUser, { params: { userId } }, { enabled: userId > 0, staleTime: 0 });
  if (userId === 0) return <UserEditor key="new" stored={null} companyId={companyId} roleId={roleId} />;
  if (stored.data && stored.isFetchedAfterMount)
    return <UserEditor key={userId} stored={stored.data} companyId={undefined} roleId="" />;
  return (
    <Page title={texts.title} width="form">
      {stored.error ? (
        <LoadError error={stored.error} onRetry={() => void stored.refetch()} />
      ) : (
        <FormSkeleton sections={[4, 1, 2]} />
      )}
    </Page>
  );
}

export function AddProviderPage() {
  return <UserEditPage roleId="D" />;
}

interface EditorProps {
  /** Null = new. */
  stored: StoredUser | null;
  companyId: number | undefined;
  roleId: UserForm['roleId'];
}

function UserEditor({ stored, companyId, roleId }: EditorProps) {
  const goBack = useGoBack(companyId ? to.adminUsersOf({ company: companyId }) : to.adminUsers());
  const signIn = useSignIn();
  const caller = signIn.status === 'in' ? signIn : undefined;
  const isSuper = caller?.caller === 'Super';
  const [read, setRead] = useState(stored);
  const isOwn = read !== null && read.userId === Number(caller?.claims.sub);
  /** A user without a company administers the installation. */
  const isOfInstallation = read ? read.company === null : isSuper && companyId === undefined;
  const form = useContractForm<UserForm>(userSchema, {
    defaultValues: read ? toForm(read) : blankUser(isOfInstallation ? 'A' : roleId),
  });
  const stale = useStale(form);
  useUnsaved(form);
  const save = useChange(saveUser, {
    invalidates: userReads,
    makes: ({ body }) => (body.userId > 0 ? undefined : 'user'),
    onError: () => true,
  });
  const name = read ? `${read.firstName} ${read.lastName}` : texts.newUser;

  /** The user was read again: version and values go together, or a save would undo what was stored meanwhile. */
  function changed(fresh: StoredUser) {
    setRead(fresh);
    stale.adopt(toForm(fresh));
  }

  async function submit(values: UserForm) {
    const { shown } = beginSave(form);
    async function done(said: string, upcoming: number) {
      form.reset(values);
      if (upcoming === 0) toast.success(said, { across: 'next' });
      else toast.warning(`${said} ${texts.upcoming(upcoming)}`, { across: 'next', duration: upcomingDurationMs });
      await goBack();
    }
    async function saveOver(version: number) {
      const body = toBody(values, { userId: read?.userId ?? 0, version, companyId });
      const result = await save.mutateAsync({ body });
      await done(result.invited ? texts.invited(values.email.trim()) : texts.saved, result.upcoming);
    }
    try {
      await saveOver(read?.version ?? 0);
    } catch (error) {
      if (!isRefusal(error, 'stale') || !read) throw error;
      const fresh = await send(getUser, { params: { userId: read.userId } });
      if (isStored(asStored(shown), toForm(fresh))) {
        // Saved again: only the lost response said how many appointments stay with someone who is no provider any more.
        if (fresh.disabled || !isProvider(fresh.roleId)) return saveOver(fresh.version);
        return done(texts.saved, 0);
      }
      setRead(fresh);
      stale.merge(toForm(fresh));
    }
  }

  return (
    <Page title={texts.title} width="form">
      <Box sx={{ display: 'grid', gap: 3 }}>
        <Form form={form} onSubmit={submit}>
          <UserStaleNotice stale={stale} isSuper={isSuper} />
          <Section title={name}>
            <CompanyLine read={read} companyId={companyId} isSuper={isSuper} />
            <Pair>
              <TextInput name="firstName" label={texts.firstName} maxLength={limits.name} required autoFocus={!read} />
              <TextInput name="lastName" label={texts.lastName} maxLength={limits.name} required />
            </Pair>
            <Pair>
              <EmailInput name="email" label={texts.email} required readOnly={isOwn} />
              <PhoneInput name="phone" label={texts.phone} readOnly={isOwn} />
            </Pair>
            {isOwn && (
              <Typography variant="body2" color="textSecondary">
                {texts.ownContact}{' '}
                <Link component={RouterLink} to={to.user()}>
                  {texts.myAccount}
                </Link>
              </Typography>
            )}
          </Section>
          <RoleSection isOfInstallation={isOfInstallation} />
          {!isOfInstallation && <Notifications isSuper={isSuper} />}
          {!isOwn && <PasswordSection read={read} onChanged={changed} />}
          {read && !isOwn && <AccessSection user={read} onChanged={changed} />}
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            <SubmitButton />
            <Button look="quiet" onClick={() => void goBack()}>
              {texts.cancel}
            </Button>
          </Box>
        </Form>
        {/* As saved. A Super reads no calendars of companies. */}
        {read && !isSuper && isProvider(read.roleId) && <CalendarSection userId={read.userId} />}
      </Box>
    </Page>
  );
}

/** Both versions of a user after a conflict. */
function UserStaleNotice({ stale, isSuper }: { stale: Stale<UserForm>; isSuper: boolean }) {
  const doctors = useRead(listDoctors, undefined, { enabled: !isSuper }).data?.data ?? [];
  function show(name: string, { roleId, notifyForUsers }: Partial<UserForm>) {
    if (name === 'roleId') return roleId && roleNameOf(roleId);
    if (name !== 'notifyForUsers') return undefined;
    const chosen = doctors.filter(({ userId }) => notifyForUsers?.includes(userId));
    return chosen.map(({ firstName, lastName }) => `${firstName} ${lastName}`).join(', ');
  }
  const labels = { ...texts, roleId: texts.role, notifyForUsers: texts.notifyFor };
  return <StaleNotice stale={stale} labels={labels} show={show} />;
}

function CompanyLine({
  read,
  companyId,
  isSuper,
}: {
  read: StoredUser | null;
  companyId: number | undefined;
  isSuper: boolean;
}) {
  const added = useRead(
    getCompany,
    { params: { companyId: companyId ?? 0 } },
    { enabled: isSuper && companyId !== undefined },
  ).data;
  if (!isSuper) return null;
  return (
    <Typography color="textSecondary">
      {read?.company?.companyName ?? added?.companyName ?? (companyId === undefined ? texts.list.installation : '')}
    </Typography>
  );
}

/** ROLE-4: the role; NPI and fee of administrators and doctors. */
function RoleSection({ isOfInstallation }: { isOfInstallation: boolean }) {
  const currency = useCompany()?.currency ?? 'USD';
  const roleId = useWatch<UserForm, 'roleId'>({ name: 'roleId' });
  const roles = useRead(listRoles, undefined, { enabled: !isOfInstallation }).data?.data ?? [];
  if (isOfInstallation) return <Typography color="textSecondary">{texts.superHint}</Typography>;
  return (
    <Section title={texts.role}>
      <SelectInput
        name="roleId"
        label={texts.role}
        required
        options={roles.map((role) => ({ value: role.roleId, label: role.roleName }))}
        hint={roleId === '' ? undefined : texts.roleHints[roleId]}
      />
      {isProvider(roleId) && (
        <Pair>
          <TextInput name="npi" label={texts.npi} hint={texts.npiHint} digits maxLength={limits.npi} counter />
          <MoneyInput name="selfPayFee" label={texts.selfPayFee} hint={texts.selfPayFeeHint} currency={currency} />
        </Pair>
      )}
    </Section>
  );
}

function Notifications({ isSuper }: { isSuper: boolean }) {
  return (
    <Section title={texts.arrivals}>
      <Box sx={{ display: 'grid' }}>
        <SwitchInput name="byEmail" label={texts.byEmail} />
        <SwitchInput name="byText" label={texts.byText} />
      </Box>
      {/* A Super does not read a company's providers. */}
      {!isSuper && <NotifyFor />}
    </Section>
  );
}

function NotifyFor() {
  const doctors = useRead(listDoctors).data?.data ?? [];
  const { field, error } = useField({ name: 'notifyForUsers', label: texts.notifyFor });
  const chosen = (field.value ?? []) as UserForm['notifyForUsers'];
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      options={doctors}
      value={doctors.filter(({ userId }) => chosen.includes(userId))}
      getOptionLabel={({ firstName, lastName }) => `${firstName} ${lastName}`}
      getOptionKey={({ userId }) => userId}
      noOptionsText={texts.noProviders}
      onBlur={field.onBlur}
      onChange={(_, next) => field.onChange(next.map(({ userId }) => userId).sort((a, b) => a - b))}
      renderInput={(props) => (
        <TextField
          {...props}
          label={texts.notifyFor}
          error={error !== undefined}
          helperText={error ?? texts.notifyForHint}
        />
      )}
    />
  );
}

/** VALID-9: the password, or the link to choose one. */
function PasswordSection({ read, onChanged }: { read: StoredUser | null; onChanged: (user: StoredUser) => void }) {
  const invite = useChange(inviteUser, { invalidates: [listUsers] });
  if (read?.isExternal) return <ExternalSection user={read} onDisconnected={onChanged} />;
  async function ask(user: StoredUser) {
    const question = texts.inviteQuestion(`${user.firstName} ${user.lastName}`, user.email);
    if (!(await confirm({ text: question, yes: texts.send, no: texts.cancel }))) return;
    const params = { userId: user.userId };
    const sent = await invite.mutateAsync({ params }).then(
      () => true,
      () => false,
    );
    if (!sent) return;
    toast.success(texts.sent(user.email));
    onChanged(await send(getUser, { params }));
  }
  return (
    <Section title={texts.password}>
      {read && !read.hasPassword && <Typography variant="body2">{invitationWords(read)}</Typography>}
      <PasswordInput
        name="passwordString"
        label={texts.newPassword}
        hint={read?.hasPassword ? texts.keepPassword : texts.willPick}
        isNew
      />
      {read && !read.disabled && (
        <Box>
          <Button look="secondary" loading={invite.isPending} onClick={() => void ask(read)}>
            {read.hasPassword ? texts.sendLink : texts.inviteAgain}
          </Button>
        </Box>
      )}
    </Section>
  );
}

function invitationWords({ invitedAt, invitationEndedAt }: StoredUser): string {
  if (invitedAt) return texts.notYet(formatDateTime(invitedAt, ownZone()));
  if (invitationEndedAt) return texts.invitationEnded(formatDateTime(invitationEndedAt, ownZone()));
  return texts.neverInvited;
}

const hasOpenInvitation = ({ hasPassword, invitedAt }: StoredUser) => !hasPassword && invitedAt !== null;

/** A user whose account at the provider was replaced is connected with the new one after this. */
function ExternalSection({ user, onDisconnected }: { user: StoredUser; onDisconnected: (user: StoredUser) => void }) {
  const params = { userId: user.userId };
  const disconnect = useChange(disconnectUser, {
    invalidates: userReads,
    success: texts.disconnected,
    onSuccess: async () => onDisconnected(await send(getUser, { params })),
  });
  async function ask() {
    const text = texts.disconnectQuestion(`${user.firstName} ${user.lastName}`);
    const details = [texts.disconnectDetail];
    if (await confirm({ text, details, yes: texts.disconnect, no: texts.cancel, danger: true }))
      disconnect.mutate({ params });
  }
  return (
    <Section title={texts.password}>
      <Typography color="textSecondary">{user.hasPassword ? texts.externalToo : texts.external}</Typography>
      <Box>
        <Button look="danger" loading={disconnect.isPending} onClick={() => void ask()}>
          {texts.disconnect}
        </Button>
      </Box>
    </Section>
  );
}

interface ChangedUser {
  user: StoredUser;
  /** The user was read again. */
  onChanged: (user: StoredUser) => void;
}

function AccessSection({ user, onChanged }: ChangedUser) {
  const params = { userId: user.userId };
  const end = useChange(endUserSignIns, {
    onSuccess: async () => {
      toast.success(texts.signedOut);
      onChanged(await send(getUser, { params }));
    },
  });
  const isInvited = hasOpenInvitation(user);
  async function ask() {
    const text = texts.signOutQuestion(`${user.firstName} ${user.lastName}`);
    const details = isInvited ? [texts.endsInvitation] : [];
    if (await confirm({ text, details, yes: texts.signOut, no: texts.cancel, danger: true })) end.mutate({ params });
  }
  return (
    <Section title={texts.access}>
      <SwitchInput
        name="disabled"
        label={texts.disabled}
        hint={isInvited ? texts.disabledInvitedHint : texts.disabledHint}
      />
      <Box>
        <Button look="danger" loading={end.isPending} onClick={() => void ask()}>
          {texts.signOut}
        </Button>
      </Box>
      <TwoStep user={user} onChanged={onChanged} />
    </Section>
  );
}

/** For a user who has lost their phone and recovery codes. */
function TwoStep({ user, onChanged }: ChangedUser) {
  const isOn = user.hasSecondFactor;
  const params = { userId: user.userId };
  const reset = useChange(resetSecondFactor, {
    success: texts.wasReset,
    onSuccess: async () => onChanged(await send(getUser, { params })),
  });
  async function ask() {
    const text = texts.resetQuestion(`${user.firstName} ${user.lastName}`);
    const details = [texts.resetDetail, ...(hasOpenInvitation(user) ? [texts.endsInvitation] : [])];
    if (await confirm({ text, details, yes: texts.reset, no: texts.cancel, danger: true })) reset.mutate({ params });
  }
  return (
    <>
      <Typography variant="body2">{isOn ? texts.twoStepOn : texts.twoStepOff}</Typography>
      {isOn && (
        <Box>
          <Button look="danger" loading={reset.isPending} onClick={() => void ask()}>
            {texts.reset}
          </Button>
        </Box>
      )}
    </>
  );
}
