import { Box, Skeleton, Typography } from '@mui/material';
import { getSecondFactor } from '@roomside/contract/account-security/calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import {
  erasePatient,
  erasureBody,
  erasureReasons,
  getPatient,
  listPatients,
} from '@roomside/contract/patients/calls.ts';
import { useId } from 'react';
import { useChange, useRead } from '../../api/use-call.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFrame } from '../../ui/DialogFrame.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { toast } from '../../ui/toast.ts';
import { useConfirmed } from '../account-security/use-confirmed.tsx';
import { texts as all } from './texts.ts';

const texts = all.erase;

interface Props {
  patientId: number;
  name: string;
  onClose: () => void;
}

/** Says what an erasure erases and keeps, and erases after a reason and the current password, or a confirmation by a user without one. */
export function EraseDialog(props: Props) {
  const { data, error, refetch } = useRead(getSecondFactor);
  if (data) return <Erasure {...props} hasPassword={data.hasPassword} />;
  return (
    <DialogFrame title={texts.title(props.name)} width="sm" onClose={props.onClose}>
      {error ? <LoadError error={error} onRetry={() => void refetch()} /> : <Skeleton variant="rounded" height={240} />}
    </DialogFrame>
  );
}

function Erasure({ patientId, name, onClose, hasPassword }: Props & { hasPassword: boolean }) {
  const formId = useId();
  const navigate = useNavigateAfterCall();
  const { attempt, dialog } = useConfirmed();
  const form = useContractForm<BodyOf<typeof erasePatient>>(erasureBody, {
    defaultValues: hasPassword ? { currentPassword: '' } : {},
  });
  const erase = useChange(erasePatient, { invalidates: [listPatients, getPatient], onError: () => true });
  return (
    <DialogFrame
      title={texts.title(name)}
      width="sm"
      onClose={onClose}
      // Below the content that scrolls: on a phone the buttons stay in view.
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button look="danger-primary" type="submit" form={formId} loading={erase.isPending}>
            {texts.submit}
          </Button>
        </>
      }
    >
      <List title={texts.erased} items={texts.erasedList} />
      <List title={texts.kept} items={texts.keptList} />
      <Typography variant="body2" color="textSecondary" sx={{ mb: 2 }}>
        {texts.backups}
      </Typography>
      <Form
        id={formId}
        form={form}
        onSubmit={async (body) => {
          if (!(await attempt(() => erase.mutateAsync({ params: { patientId }, body })))) return;
          form.reset();
          toast.success(texts.done, { across: 'next' });
          await navigate(to.patientList());
        }}
      >
        <SelectInput
          name="reason"
          label={texts.reason}
          required
          options={erasureReasons.map((reason) => ({ value: reason, label: texts.reasons[reason] }))}
        />
        {hasPassword && <PasswordInput name="currentPassword" label={texts.password} required />}
      </Form>
      {dialog}
    </DialogFrame>
  );
}

function List({ title, items }: { title: string; items: readonly string[] }) {
  return (
    <>
      <Typography sx={{ fontWeight: 600 }}>{title}</Typography>
      <Box component="ul" sx={{ mt: 0.5, mb: 2, pl: 3 }}>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </Box>
    </>
  );
}
