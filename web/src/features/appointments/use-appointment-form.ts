import {
  type Appointment,
  getAppointment,
  listAppointments,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { type InputOf, send } from '../../api/send.ts';
import { readKey, useChange } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, formatTime, ownZone, timeOf, wallToInstant } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { formatMoney } from '../../ui/money.ts';
import { toast } from '../../ui/toast.ts';
import { type AppointmentValues, appointmentForm, isComplete, toBody, toForm } from './appointment-form.ts';
import { readContact, whenIs } from './contact.ts';
import { texts } from './edit-texts.ts';
import { askAboutTaken } from './overbook.ts';
import { useInvitation } from './use-invitation.ts';

/** A new appointment may start this long ago without a confirmation: time passes while it is typed, ms. */
const askBeforePastMs = 5 * 60_000;
/** The instant `ms` before now, ISO. */
const past = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** What a cancellation sends: only patients who were notified of an upcoming appointment are notified, of the start that they know. */
function cancelNotice({ notifiedStart, startDate, endDate }: Appointment, ways: string, zone: string): string {
  const length = Date.parse(endDate) - Date.parse(startDate);
  if (Date.parse(notifiedStart ?? startDate) + length <= Date.now()) return texts.cancelNotice.over;
  if (notifiedStart === null) return texts.cancelNotice.notInvited;
  if (ways === '') return texts.cancelNotice.noContact;
  return notifiedStart === startDate
    ? texts.cancelNotice.sent(ways)
    : texts.cancelNotice.sentOfFormer(whenIs(notifiedStart, zone), ways);
}

/** Asks whether a new appointment should start in the past. */
function asksForPast(startDate: string, zone: string): Promise<boolean> {
  const text = texts.pastText(formatDate(dateOf(startDate, zone)), formatTime(startDate, zone, ownZone()));
  return confirm({ title: texts.past, text, yes: texts.saveAnyway, no: texts.anotherTime });
}

/**
 * The form of one appointment and its actions. `live` is the server's latest version; `base` is the version that the typed
 * values started from. They differ after another user has saved.
 */
export function useAppointmentForm(live: Appointment, input: InputOf<typeof getAppointment>) {
  const client = useQueryClient();
  const navigate = useNavigateAfterCall();
  const invite = useInvitation();
  const [base, setBase] = useState(live);
  const [slot, setSlot] = useState(live.startDate);
  const form = useContractForm(appointmentForm(base), { defaultValues: toForm(live) });
  const stale = useStale(form);
  const currency = useCompany()?.currency ?? 'USD';
  useUnsaved(form);
  const save = useChange(saveAppointment, {
    invalidates: [listAppointments, listPatients],
    makes: ({ body }) => (body.appointmentId > 0 ? undefined : 'appointment'),
    onError: () => true,
  });
  const isNew = base.appointmentId === 0;

  /** Says it also when the same amount was typed: that one is another payment. */
  const sayCollected = (collected: string) => toast.info(texts.collectedNow(formatMoney(collected, currency)));

  /** Shows a payment that was collected meanwhile; an amount that is being typed stays, with a question which one to keep. */
  const takeCollected = useEffectEvent((collected: string) => {
    setBase((old) => ({ ...old, collected }));
    if (!form.getFieldState('collected').isDirty) return form.resetField('collected', { defaultValue: collected });
    stale.adopt({ ...toForm(base), collected });
    sayCollected(collected);
  });
  useEffect(() => {
    if (live.collected !== base.collected && !isNew) takeCollected(live.collected);
  }, [live.collected, base.collected, isNew]);

  /** Reads the stored version for the form and the page. */
  async function reread(): Promise<Appointment> {
    const stored = await send(getAppointment, { params: { appointmentId: base.appointmentId }, query: {} });
    client.setQueryData(readKey(getAppointment, input), stored);
    setBase(stored);
    return stored;
  }

  /** Returns true when it was saved. Throws errors that this form does not handle. */
  async function submit(values: AppointmentValues, { overbook = false, chosen = slot } = {}): Promise<boolean> {
    const body = { ...toBody(values, base, chosen), ...(overbook && { overbook }) };
    const isPast = isNew && !overbook && body.startDate < past(askBeforePastMs);
    if (isPast && !(await asksForPast(body.startDate, base.config.timeZone))) return false;
    const { takeOver } = beginSave(form);
    function done(stored: Appointment) {
      stale.clear();
      takeOver(toForm(stored));
      say(base, stored);
    }
    try {
      const { appointmentId } = await save.mutateAsync({ body });
      if (isNew) {
        form.reset(values);
        toast.success(texts.created, { across: 'next' });
        await navigate(to.appointmentEdit({ patient: values.patientId, id: appointmentId }), { replace: true });
        return true;
      }
      done(await reread());
      return true;
    } catch (error) {
      if (isRefusal(error, 'slot-taken')) {
        const current = error.current as Partial<TakenSlot> | undefined;
        const { timeZone } = base.config;
        const choice = await askAboutTaken(current, timeZone);
        if (choice === null) return false;
        if (choice === 'overbook') return submit(values, { overbook: true, chosen });
        const wall = { date: dateOf(choice, timeZone), time: timeOf(choice, timeZone) };
        for (const name of ['date', 'time'] as const) form.setValue(name, wall[name], { shouldDirty: true });
        setSlot(choice);
        return submit({ ...values, ...wall }, { chosen: choice });
      }
      if (!isRefusal(error, 'stale')) throw error;
      const stored = await reread();
      // The version is the same when only a payment came in meanwhile.
      if (stored.version !== body.version && isStored(values, toForm(stored))) {
        done(stored);
        return true;
      }
      if (body.collected !== undefined && stored.collected !== base.collected) sayCollected(stored.collected);
      stale.merge(toForm(stored));
      if (stored.cancelled && values.cancelled) toast.info(texts.alreadyCancelled);
      return false;
    }
  }

  function say(before: Appointment, stored: Appointment): void {
    const { cancelled } = stored;
    if (cancelled && !before.cancelled) return void toast.success(texts.hasBeenCancelled);
    if (cancelled || !before.cancelled) return void toast.success(texts.updated);
    const run = () => void invite(stored);
    toast.success(`${texts.updated} ${texts.reactivated}`, { duration: 15_000, action: { label: texts.invite, run } });
  }

  /** Submits the form with some values set, from a button outside of it; shows errors. */
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
    /** The start that was chosen last. Another one may be typed since. */
    slot,
    setSlot,

    /** STATE-2: for a cancelled appointment it only shows a message. */
    async cancel(): Promise<void> {
      if (live.cancelled) return void toast.info(texts.alreadyCancelled);
      // What is sent follows from the messages that were sent since the page was read.
      const [contact, stored] = await Promise.all([
        readContact(live.patientId),
        send(getAppointment, { params: { appointmentId: live.appointmentId }, query: {} }).catch(() => live),
      ]);
      const yes = await confirm({
        text: texts.cancelQuestion,
        details: [
          ...(contact ? [contact.name] : []),
          whenIs(stored.startDate, base.config.timeZone),
          cancelNotice(stored, contact?.ways ?? '', base.config.timeZone),
        ],
        yes: texts.cancel,
        no: texts.keep,
        danger: true,
      });
      if (yes) await submitWith({ cancelled: true });
    },

    /** LIST-21; saves the form first (STATE-4). */
    invite(): Promise<void> {
      if (!form.formState.isDirty) return invite(live);
      const { date, time, patientId } = form.getValues();
      const startDate = isComplete({ date, time }) ? wallToInstant(date, time, base.config.timeZone) : live.startDate;
      return invite({ ...live, startDate, patientId: patientId || live.patientId }, () => submitWith({}));
    },

    /** The payments were returned: shows what is stored now; typed input stays. */
    async refunded(): Promise<void> {
      stale.adopt(toForm(await reread()));
    },

    /** A new appointment takes the provider's fee and next free start, unless they were typed or given by the link. */
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
