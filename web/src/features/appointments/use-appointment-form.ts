import {
  type Appointment,
  getAppointment,
  listAppointments,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { patientNoticeKinds } from '@roomside/contract/appointments/notification-kinds.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { type InputOf, send } from '../../api/send.ts';
import { readKey, useChange } from '../../api/use-call.ts';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, formatTime, now, ownZone, wallToInstant } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { type AppointmentValues, appointmentForm, toBody, toForm } from './appointment-form.ts';
import { readContact, whenIs } from './contact.ts';
import { texts } from './edit-texts.ts';
import { asksToOverbook } from './overbook.ts';
import { useInvitation } from './use-invitation.ts';

/** A new appointment may begin this long ago without a question: it was typed while the clock went on, ms. */
const askBeforePastMs = 5 * 60_000;
/** The instant `ms` before now, ISO. */
const past = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** What the patient gets of a cancellation: only who was notified of an appointment to come is notified of its end. */
function cancelNotice({ notificationLogs, endDate }: Appointment, ways: string): string {
  if (endDate <= now()) return texts.cancelNotice.over;
  const isTold = notificationLogs.some(
    ({ kind, state }) => patientNoticeKinds.some((own) => own === kind) && (state === 'sent' || state === 'queued'),
  );
  if (!isTold) return texts.cancelNotice.notInvited;
  return ways === '' ? texts.cancelNotice.noContact : texts.cancelNotice.sent(ways);
}

/** Asks whether a new appointment is meant to begin in the past. */
function asksForPast(startDate: string, zone: string): Promise<boolean> {
  const text = texts.pastText(formatDate(dateOf(startDate, zone)), formatTime(startDate, zone, ownZone()));
  return confirm({ title: texts.past, text, yes: texts.saveAnyway, no: texts.anotherTime });
}

/**
 * The form of one appointment and what can be done with it. `live` is what the server said last, `base` what the
 * typed values stand on: they part when somebody else saves.
 */
export function useAppointmentForm(live: Appointment, input: InputOf<typeof getAppointment>) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const invite = useInvitation();
  const [base, setBase] = useState(live);
  const form = useContractForm(appointmentForm, { defaultValues: toForm(live) });
  const stale = useStale(form);
  useUnsaved(form);
  const save = useChange(saveAppointment, {
    invalidates: [listAppointments, listPatients],
    makes: ({ body }) => (body.appointmentId > 0 ? undefined : 'appointment'),
    onError: () => true,
  });
  const isNew = base.appointmentId === 0;

  // A payment that comes in while the form is open is shown, unless an amount is being typed.
  useEffect(() => {
    if (live.collected === base.collected || isNew) return;
    setBase((old) => ({ ...old, collected: live.collected }));
    if (!form.getFieldState('collected').isDirty) form.resetField('collected', { defaultValue: live.collected });
  }, [live.collected, base.collected, isNew, form]);

  /** Reads what is stored now, for the form and for the rest of the page. */
  async function reread(): Promise<Appointment> {
    const stored = await send(getAppointment, { params: { appointmentId: base.appointmentId }, query: {} });
    client.setQueryData(readKey(getAppointment, input), stored);
    setBase(stored);
    return stored;
  }

  /** True when it is stored. Throws what nobody can answer here. */
  async function submit(values: AppointmentValues, overbook = false): Promise<boolean> {
    const body = { ...toBody(values, base), ...(overbook && { overbook }) };
    const isPast = isNew && !overbook && body.startDate < past(askBeforePastMs);
    if (isPast && !(await asksForPast(body.startDate, base.config.timeZone))) return false;
    try {
      const { appointmentId } = await save.mutateAsync({ body });
      stale.clear();
      if (isNew) {
        form.reset(values);
        toast.success(texts.created, { across: 'next' });
        await navigate(to.appointmentEdit({ patient: values.patientId, id: appointmentId }), { replace: true });
        return true;
      }
      const before = base;
      const stored = await reread();
      takeOver(values, toForm(stored));
      say(before, stored);
      return true;
    } catch (error) {
      if (isRefusal(error, 'slot-taken')) {
        const current = error.current as Partial<TakenSlot> | undefined;
        return (await asksToOverbook(current, base.config.timeZone)) && submit(values, true);
      }
      if (!isRefusal(error, 'stale')) throw error;
      const stored = await reread();
      stale.merge(toForm(stored));
      if (stored.cancelled && values.cancelled) toast.info(texts.alreadyCancelled);
      return false;
    }
  }

  /** What is stored now is what the form stands on; keys pressed while it was being saved stay. */
  function takeOver(sent: AppointmentValues, stored: AppointmentValues): void {
    const typed = form.getValues();
    form.reset(stored);
    for (const name of Object.keys(sent) as (keyof AppointmentValues)[]) {
      if (typed[name] !== sent[name]) form.setValue(name, typed[name], { shouldDirty: true });
    }
  }

  function say(before: Appointment, stored: Appointment): void {
    const { cancelled } = stored;
    if (cancelled && !before.cancelled) return void toast.success(texts.hasBeenCancelled);
    if (cancelled || !before.cancelled) return void toast.success(texts.updated);
    const run = () => void invite(stored);
    toast.success(`${texts.updated} ${texts.reactivated}`, { duration: 15_000, action: { label: texts.invite, run } });
  }

  /** Sends the form from outside of its own button, with some values set; says what goes wrong. */
  async function submitWith(values: Partial<AppointmentValues>): Promise<boolean> {
    let stored = false;
    try {
      await form.handleSubmit(async (typed) => {
        stored = await submit({ ...typed, ...values });
      })();
    } catch (error) {
      toast.error(wordsFor(error));
    }
    return stored;
  }

  return {
    form,
    stale,
    base,
    isNew,
    submit,

    /** STATE-2: cancelling a cancelled one only says so. */
    async cancel(): Promise<void> {
      if (live.cancelled) return void toast.info(texts.alreadyCancelled);
      const contact = await readContact(live.patientId);
      const yes = await confirm({
        text: texts.cancelQuestion,
        details: [
          ...(contact ? [contact.name] : []),
          whenIs(live.startDate, base.config.timeZone),
          cancelNotice(live, contact?.ways ?? ''),
        ],
        yes: texts.cancel,
        no: texts.keep,
        danger: true,
      });
      if (yes) await submitWith({ cancelled: true });
    },

    /** LIST-21; what has been typed is saved before (STATE-4). */
    invite(): Promise<void> {
      if (!form.formState.isDirty) return invite(live);
      const { date, time, patientId } = form.getValues();
      const isComplete = /^\d{4}-\d{2}-\d{2}$/.test(date) && /^\d{2}:\d{2}$/.test(time);
      const startDate = isComplete ? wallToInstant(date, time, base.config.timeZone) : live.startDate;
      return invite({ ...live, startDate, patientId: patientId || live.patientId }, () => submitWith({}));
    },

    /** A new visit takes over another provider's fee and next free start, where neither was typed nor asked for. */
    async providerPicked(doctor: number): Promise<void> {
      if (!isNew) return;
      const { params } = input;
      const template = await send(getAppointment, { params, query: { ...input.query, doctor } }).catch(() => undefined);
      if (!template || form.getValues('doctorId') !== doctor) return;
      setBase((old) => ({ ...template, patientId: old.patientId, patient: old.patient, doctorId: old.doctorId }));
      const isMoved = form.getFieldState('date').isDirty || form.getFieldState('time').isDirty;
      const fresh = toForm(template);
      for (const name of ['fee', ...(isMoved ? [] : (['date', 'time'] as const))] as const) {
        if (!form.getFieldState(name).isDirty) form.resetField(name, { defaultValue: fresh[name] });
      }
    },
  };
}
