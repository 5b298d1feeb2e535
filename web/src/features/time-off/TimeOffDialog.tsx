import { Skeleton } from '@mui/material';
import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import type { Schema } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import { may } from '@roomside/contract/permissions.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import {
  listTimeOff,
  listTimeOffAppointments,
  saveTimeOff,
  type TimeOffBody,
  type TimeOffRow,
  timeOffBody,
} from '@roomside/contract/time-off/calls.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { invalidate, useChange, useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { DateInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { formatDate, ownZone, today } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
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

const toValues = ({ timeOffId, version, userId, firstDay, lastDay, reason }: TimeOffRow): Values => ({
  timeOffId,
  version,
  userId: userId ?? 0,
  firstDay,
  lastDay,
  reason,
});

/** Of the fields whose stored value can be taken over one by one. */
const labels = { userId: texts.who, firstDay: texts.firstDay, lastDay: texts.lastDay, reason: texts.reason } as const;

/** Reads one that may be past by now; undefined when it was deleted. */
async function findTimeOff(id: number): Promise<TimeOffRow | undefined> {
  const lists = await Promise.all([send(listTimeOff, { query: {} }), send(listTimeOff, { query: { past: true } })]);
  return lists.flatMap(({ data }) => data).find(({ timeOffId }) => timeOffId === id);
}

const readVisits = async ({ timeOffId, appointments }: TimeOffRow) =>
  appointments === 0 ? [] : (await send(listTimeOffAppointments, { params: { timeOffId } })).data;

/** Calls whose results change with a closure or leave. */
const changed = [listTimeOff, listSchedule, listSlots] as const;

/** Edits one closure or leave. */
export function TimeOffDialog({ row, onClose, onSaved }: Props) {
  const signIn = useSignIn();
  const zone = useCompany()?.timeZone ?? ownZone();
  const read = useRead(listDoctors, undefined, { staleTime: 60_000 });
  const doctors = read.data?.data;
  const mayAll = signIn.status === 'in' && may(signIn.caller, 'rules.write.all');
  const ownId = signIn.status === 'in' ? Number(signIn.claims.sub) : 0;
  const day = today(zone);
  const form = useContractForm<Values>(timeOffForm, {
    defaultValues: row
      ? toValues(row)
      : { timeOffId: 0, version: 0, userId: mayAll ? 0 : ownId, firstDay: day, lastDay: day, reason: '' },
  });
  const stale = useStale(form);
  const client = useQueryClient();
  const save = useChange(saveTimeOff, {
    invalidates: changed,
    makes: ({ body }) => (body.timeOffId > 0 ? undefined : 'time off'),
    onError: () => true,
  });
  const people = (doctors ?? [])
    .filter(({ userId }) => mayAll || userId === ownId)
    .map(({ userId, firstName, lastName }) => ({ value: userId, label: `${firstName} ${lastName}` }));
  async function submit({ userId, ...typed }: Values) {
    const { shown } = beginSave(form);
    function done(appointments: readonly OutsideAppointment[]) {
      toast.success(texts.saved);
      onSaved(appointments);
    }
    try {
      done((await save.mutateAsync({ body: { ...typed, userId: userId || null } })).appointments);
    } catch (error) {
      const fresh = isRefusal(error, 'stale') ? await findTimeOff(typed.timeOffId) : undefined;
      if (!fresh) throw error;
      await invalidate(client, changed);
      if (isStored(shown, toValues(fresh))) return done(await readVisits(fresh));
      stale.merge(toValues(fresh));
    }
  }
  /** A stored value as the form shows it. */
  function show(name: string, { userId, firstDay, lastDay }: Partial<Values>) {
    if (name === 'userId') return userId ? people.find(({ value }) => value === userId)?.label : texts.clinic;
    const stored = name === 'firstDay' ? firstDay : name === 'lastDay' ? lastDay : undefined;
    return stored && formatDate(stored);
  }

  return (
    <DialogFrame title={row ? texts.editTitle : texts.newTitle} width="sm" onClose={onClose}>
      {doctors ? (
        <Form form={form} onSubmit={submit}>
          <StaleNotice stale={stale} labels={labels} show={show} />
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
        <>
          {read.error ? (
            <LoadError error={read.error} onRetry={() => void read.refetch()} />
          ) : (
            <Skeleton variant="rounded" height={240} />
          )}
          <DialogFormActions>
            <Button look="quiet" onClick={onClose}>
              {texts.cancel}
            </Button>
          </DialogFormActions>
        </>
      )}
    </DialogFrame>
  );
}
