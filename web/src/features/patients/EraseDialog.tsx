import { Box, Typography } from '@mui/material';
import type { BodyOf } from '@roomside/contract/call.ts';
import {
  erasePatient,
  erasureBody,
  erasureReasons,
  getPatient,
  listPatients,
} from '@roomside/contract/patients/calls.ts';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/use-call.ts';
import { Form } from '../../form/Form.tsx';
import { PasswordInput } from '../../form/PasswordInput.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { toast } from '../../ui/toast.ts';
import { texts as all } from './texts.ts';

const texts = all.erase;

interface Props {
  patientId: number;
  name: string;
  onClose: () => void;
}

/** Says what an erasure erases and keeps, and erases after a reason and the current password. */
export function EraseDialog({ patientId, name, onClose }: Props) {
  const navigate = useNavigate();
  const form = useContractForm<BodyOf<typeof erasePatient>>(erasureBody, {
    defaultValues: { currentPassword: '' },
  });
  const erase = useChange(erasePatient, { invalidates: [listPatients, getPatient], onError: () => true });
  return (
    <DialogFrame title={texts.title(name)} width="sm" onClose={onClose}>
      <List title={texts.erased} items={texts.erasedList} />
      <List title={texts.kept} items={texts.keptList} />
      <Typography variant="body2" color="textSecondary" sx={{ mb: 2 }}>
        {texts.backups}
      </Typography>
      <Form
        form={form}
        onSubmit={async (body) => {
          await erase.mutateAsync({ params: { patientId }, body });
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
        <PasswordInput name="currentPassword" label={texts.password} required />
        <DialogFormActions>
          <Button look="quiet" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button look="danger-primary" type="submit" loading={erase.isPending}>
            {texts.submit}
          </Button>
        </DialogFormActions>
      </Form>
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
