import { Skeleton } from '@mui/material';
import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import type { Schema } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import { may } from '@roomside/contract/permissions.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import {
  listTimeOff,
  saveTimeOff,
  type TimeOffBody,
  type TimeOffRow,
  timeOffBody,
} from '@roomside/contract/time-off/calls.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import * as z from 'zod/mini';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { DateInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { ownZone, today } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { Pair } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

/** The field has 0 for the whole clinic, the wire null. */
type Values = Omit<TimeOffBody, 'userId'> & { userId: number };
const timeOffForm = z.pipe(
  z.transform((typed: Values) => ({ ...typed, userId: typed.userId || null })),
  timeOffBody,
) as unknown as Schema<Values>;

interface Props {
  /** null = a new one. */
  row: TimeOffRow | null;
  onClose: () => void;
  onSaved: (appointments: readonly OutsideAppointment[]) => void;
}

/** Edits one closure or leave. */
export function TimeOffDialog({ row, onClose, onSaved }: Props) {
  const session = useSignIn();
  const zone = useCompany()?.timeZone ?? ownZone();
  const doctors = useRead(listDoctors, undefined, { staleTime: 60_000 }).data?.data;
  const mayAll = session.status === 'in' && may(session.caller, 'rules.write.all');
  const ownId = session.status === 'in' ? Number(session.claims.sub) : 0;
  const day = today(zone);
  const form = useContractForm<Values>(timeOffForm, {
    defaultValues: row
      ? { ...row, userId: row.userId ?? 0 }
      : { timeOffId: 0, version: 0, userId: mayAll ? 0 : ownId, firstDay: day, lastDay: day, reason: '' },
  });
  const save = useChange(saveTimeOff, {
    invalidates: [listTimeOff, listSchedule, listSlots],
    makes: ({ body }) => (body.timeOffId > 0 ? undefined : 'time off'),
    onError: () => true,
  });
  const people = (doctors ?? [])
    .filter(({ userId }) => mayAll || userId === ownId)
    .map(({ userId, firstName, lastName }) => ({ value: userId, label: `${firstName} ${lastName}` }));
  return (
    <DialogFrame title={row ? texts.editTitle : texts.newTitle} width="sm" onClose={onClose}>
      {doctors ? (
        <Form
          form={form}
          onSubmit={async (typed) => {
            const { timeOffId, version, firstDay, lastDay, reason } = typed;
            const body = { timeOffId, version, firstDay, lastDay, reason, userId: typed.userId || null };
            const { appointments } = await save.mutateAsync({ body });
            toast.success(texts.saved);
            onSaved(appointments);
          }}
        >
          <SelectInput
            name="userId"
            label={texts.who}
            options={mayAll ? [{ value: 0, label: texts.clinic }, ...people] : people}
          />
          <Pair>
            <DateInput name="firstDay" label={texts.firstDay} required />
            <DateInput name="lastDay" label={texts.lastDay} required />
          </Pair>
          <TextInput
            name="reason"
            label={texts.reason}
            hint={texts.reasonHint}
            maxLength={limits.timeOffReason}
            counter
          />
          <DialogFormActions>
            <Button look="quiet" onClick={onClose}>
              {texts.cancel}
            </Button>
            <SubmitButton>{texts.save}</SubmitButton>
          </DialogFormActions>
        </Form>
      ) : (
        <Skeleton variant="rounded" height={240} />
      )}
    </DialogFrame>
  );
}
