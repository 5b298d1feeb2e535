import { Alert, Box, Checkbox, FormControl, FormControlLabel, FormHelperText, Typography } from '@mui/material';
import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { getFirstSteps } from '@roomside/contract/first-steps/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { may } from '@roomside/contract/permissions.ts';
import { getScheduleSettings, listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { deleteRule, getRule, listRules, saveRule } from '@roomside/contract/scheduling-rules/calls.ts';
import { useState } from 'react';
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { useParams } from 'react-router';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { DateInput, TimeInput } from '../../form/DateInput.tsx';
import { Form } from '../../form/Form.tsx';
import { AddRow, RemoveRow } from '../../form/RowButtons.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { SwitchInput } from '../../form/SwitchInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useField } from '../../form/use-field.ts';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { useIsPageOpen, useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { today, zoneLabel } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pair, Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { OutsideAppointmentsDialog } from './OutsideAppointmentsDialog.tsx';
import { RecurrenceFields } from './RecurrenceFields.tsx';
import { RulePreview } from './RulePreview.tsx';
import { blankRule, providerRows, type RuleValues, ruleForm, toBody } from './rule-form.ts';
import { ruleLabels, ruleValueWords } from './rule-words.ts';
import { texts } from './texts.ts';

type Settings = ResultOf<typeof getScheduleSettings>;

/** /admin/scheduling/edit/{ruleId}: 0 or below is new (RULES-2 to RULES-6, STATE-27). */
export function RuleEditPage() {
  const ruleId = Math.max(0, Number(useParams()['ruleId']) || 0);
  const signIn = useSignIn();
  const settings = useRead(getScheduleSettings, undefined, { staleTime: 60_000 });
  const stored = useRead(getRule, { params: { ruleId } }, { enabled: ruleId > 0, staleTime: 0 });
  const failed = settings.error ?? stored.error;
  const ownId = signIn.status === 'in' && !may(signIn.caller, 'rules.write.all') ? Number(signIn.claims.sub) : null;
  if (settings.data && (ruleId === 0 || (stored.data && stored.isFetchedAfterMount))) {
    const zone = settings.data.settings.timeZone;
    const read = ruleId === 0 ? blankRule(today(zone), ownId) : toValues(stored.data);
    const mayEdit =
      ruleId === 0 ? signIn.status === 'in' && may(signIn.caller, 'rules.write.own') : stored.data?.mayEdit === true;
    return <RuleEditor key={ruleId} read={read} settings={settings.data} ownId={ownId} mayEdit={mayEdit} />;
  }
  return (
    <Page title={texts.editorTitle}>
      {failed ? (
        <LoadError
          error={failed}
          onRetry={() => void Promise.all([settings.refetch(), ruleId > 0 && stored.refetch()])}
        />
      ) : (
        <FormSkeleton sections={[4, 4]} />
      )}
    </Page>
  );
}

function toValues(stored: ResultOf<typeof getRule> | undefined): RuleValues {
  if (!stored) throw new Error('There is a rule once it has been read.');
  const { created: _, mayEdit: __, ...values } = stored;
  return {
    ...values,
    apptRulesPhysicians: providerRows(stored.apptRulesPhysicians.map(({ physicianId }) => physicianId)),
  };
}

interface EditorProps {
  read: RuleValues;
  settings: Settings;
  /** The doctor who sees only themselves among the providers; null for administrators. */
  ownId: number | null;
  mayEdit: boolean;
}

function RuleEditor({ read, settings, ownId, mayEdit }: EditorProps) {
  const navigate = useNavigateAfterCall();
  const isPageOpen = useIsPageOpen();
  const zone = settings.settings.timeZone;
  const form = useContractForm(ruleForm, { defaultValues: read, mode: 'onBlur' });
  const stale = useStale(form);
  useUnsaved(form);
  const [outside, setOutside] = useState<readonly OutsideAppointment[]>();
  const [title, setTitle] = useState(read.description);
  const isNew = read.ruleId === 0;
  const invalidates = [listRules, listSchedule, listSlots, getFirstSteps];
  const save = useChange(saveRule, {
    invalidates: [...invalidates, getRule],
    // The same save sent again after a lost response is answered with the first result, with the appointments outside.
    makes: ({ body }) => (body.ruleId > 0 ? JSON.stringify(body) : 'rule'),
    onError: () => true,
  });
  const remove = useChange(deleteRule, { invalidates });

  /** STATE-27: back to the list, after the dialog about appointments outside of the schedule. */
  async function leave(appointments: readonly OutsideAppointment[]) {
    if (appointments.length === 0) return navigate(to.adminScheduling());
    if (isPageOpen()) setOutside(appointments);
    else toast.warning(texts.outside.title(appointments.length), { across: 'next', duration: 15_000 });
  }

  async function submit(values: RuleValues) {
    try {
      const { ruleId, version, outside: appointments } = await save.mutateAsync({ body: toBody(values) });
      form.reset({ ...values, ruleId, version });
      toast.success(texts.saved, { across: 'next' });
      await leave(appointments);
    } catch (error) {
      if (!isRefusal(error, 'stale')) throw error;
      const fresh = toValues(await send(getRule, { params: { ruleId: read.ruleId } }));
      stale.merge(fresh);
      setTitle(fresh.description);
    }
  }

  async function ask() {
    const question = { text: texts.deleteQuestion, details: [title], yes: texts.delete, no: texts.cancel };
    const yes = await confirm({ ...question, danger: true });
    if (!yes) return;
    const result = await remove.mutateAsync({ params: { ruleId: read.ruleId } }).catch(() => undefined);
    if (!result) return;
    form.reset(form.getValues());
    toast.success(texts.deleted, { across: 'next' });
    await leave(result.outside);
  }

  return (
    <Page title={title || texts.editorTitle}>
      <Form form={form} onSubmit={submit}>
        {!mayEdit && <Alert severity="info">{texts.readOnly}</Alert>}
        <StaleNotice
          stale={stale}
          labels={ruleLabels}
          show={(name, values) => ruleValueWords(name, values, settings.physicians)}
        />
        <Box sx={columns}>
          <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
            <Section title={texts.what}>
              <TextInput
                name="description"
                label={texts.description}
                maxLength={limits.ruleDescription}
                counter
                required
                disabled={!mayEdit}
                autoFocus={isNew}
              />
              <SwitchInput name="disabled" label={texts.disabled} hint={texts.disabledHint} disabled={!mayEdit} />
              <Slots zone={zone} disabled={!mayEdit} />
              <Dates disabled={!mayEdit} />
            </Section>
            <Recurrence disabled={!mayEdit} />
            <Providers settings={settings} ownId={ownId} disabled={!mayEdit} />
          </Box>
          <RulePreview today={today(zone)} />
        </Box>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <SubmitButton disabled={!mayEdit} />
          {!isNew && mayEdit && (
            <Button look="danger" loading={remove.isPending} onClick={() => void ask()}>
              {texts.delete}
            </Button>
          )}
          <Button look="quiet" to={to.adminScheduling()}>
            {texts.all}
          </Button>
        </Box>
      </Form>
      <OutsideAppointmentsDialog
        appointments={outside}
        onClose={() => {
          setOutside(undefined);
          void navigate(to.adminScheduling());
        }}
      />
    </Page>
  );
}

const columns = {
  display: 'grid',
  gap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 320px)' },
} as const;

function Recurrence({ disabled }: { disabled: boolean }) {
  const isOff = useWatch<RuleValues, 'disabled'>({ name: 'disabled' });
  return isOff ? null : <RecurrenceFields disabled={disabled} />;
}

function Dates({ disabled }: { disabled: boolean }) {
  const ruleType = useWatch<RuleValues, 'ruleType'>({ name: 'ruleType' });
  return (
    <Pair>
      <DateInput name="activeStartDate" label={texts.startDate} required disabled={disabled} />
      <DateInput
        name="activeEndDate"
        label={texts.endDate}
        hint={ruleType === 'S' ? texts.endDateOnce : texts.endDateHint}
        disabled={disabled}
      />
    </Pair>
  );
}

function Slots({ zone, disabled }: { zone: string; disabled: boolean }) {
  const { control } = useFormContext<RuleValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'apptRulesTimes' });
  return (
    <Box role="group" aria-label={texts.slots} sx={{ display: 'grid', gap: 1.5 }}>
      <Typography variant="subtitle2">{texts.slots}</Typography>
      <Typography variant="body2" color="textSecondary">
        {texts.slotsHint(zoneLabel(zone))}
      </Typography>
      {fields.map((slot, index) => (
        <Box key={slot.id} sx={slotRow}>
          <TimeInput
            name={`apptRulesTimes.${index}.startTime`}
            label={texts.start(index)}
            required
            disabled={disabled}
          />
          <TimeInput
            name={`apptRulesTimes.${index}.endTime`}
            label={texts.end(index)}
            required
            disabled={disabled}
            isEnd
          />
          <Box sx={{ mt: 0.75 }}>
            <RemoveRow
              of="apptRulesTimes"
              label={texts.removeSlot(index)}
              disabled={disabled || fields.length === 1}
              onRemove={() => remove(index)}
            />
          </Box>
        </Box>
      ))}
      <AddRow
        of="apptRulesTimes"
        label={texts.addSlot}
        disabled={disabled || fields.length >= limits.ruleTimes}
        onAdd={() => append({ startTime: '', endTime: '' })}
      />
    </Box>
  );
}

/** Side by side; on a phone below each other, with the delete button beside both. */
const slotRow = {
  display: 'grid',
  gap: { xs: 1, sm: 2 },
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr) 44px', sm: 'minmax(0, 1fr) minmax(0, 1fr) 44px' },
  '& > :last-child': { gridColumn: -2, gridRow: 1 },
} as const;

/** The providers of this rule. A doctor can tick only themselves. */
function Providers({ settings, ownId, disabled }: { settings: Settings; ownId: number | null; disabled: boolean }) {
  const { field, error } = useField({ name: 'apptRulesPhysicians', label: texts.providers });
  const ticked = (field.value as RuleValues['apptRulesPhysicians']) ?? [];
  const isTicked = (userId: number) => ticked.some(({ physicianId }) => physicianId === userId);
  const shown = settings.physicians.filter(({ userId }) => ownId === null || userId === ownId || isTicked(userId));
  function tick(userId: number, on: boolean) {
    const others = ticked.map(({ physicianId }) => physicianId).filter((id) => id !== userId);
    field.onChange(providerRows(on ? [...others, userId] : others));
  }
  return (
    <Section title={texts.providers}>
      {shown.length === 0 && <Typography color="textSecondary">{texts.noProviders}</Typography>}
      <FormControl component="fieldset" error={error !== undefined} disabled={disabled} aria-label={texts.providers}>
        {shown.map(({ userId, firstName, lastName }, index) => (
          <FormControlLabel
            key={userId}
            label={`${firstName} ${lastName}`}
            sx={{ minHeight: 44 }}
            control={
              <Checkbox
                checked={isTicked(userId)}
                onChange={(_, on) => tick(userId, on)}
                onBlur={field.onBlur}
                slotProps={{ input: index === 0 ? { ref: field.ref } : {} }}
              />
            }
          />
        ))}
        {error && <FormHelperText>{error}</FormHelperText>}
      </FormControl>
    </Section>
  );
}
