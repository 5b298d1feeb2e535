import { Alert, Box, Skeleton } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { getCompany } from '@roomside/contract/companies/calls.ts';
import {
  countOverdue,
  getRetention,
  type Overdue,
  type Retention,
  saveRetention,
} from '@roomside/contract/retention/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate, useRead } from '../../api/use-call.ts';
import { beginSave, isStored } from '../../form/begin-save.ts';
import { Form } from '../../form/Form.tsx';
import { SelectInput } from '../../form/SelectInput.tsx';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { useStale } from '../../form/use-stale.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { useConfirmed } from '../account-security/use-confirmed.tsx';
import { texts } from './texts.ts';

type Stored = ResultOf<typeof getRetention>;
const kinds = ['chats', 'files', 'recordings'] as const;

/** Months that can be chosen; a stored one that is not among them is added. */
const terms = [6, 12, 24, 36, 60, 72, 84, 120, 180, 240, 300];

/** How long chats, files and recordings are kept. Before saving it says what the next run would delete. */
export function RetentionSection() {
  const read = useRead(getRetention, undefined, { staleTime: 0 });
  return (
    <Section title={texts.section}>
      <Alert severity="warning">{texts.text}</Alert>
      {read.data && read.isFetchedAfterMount ? (
        <Editor stored={read.data} />
      ) : read.error ? (
        <LoadError error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton variant="rounded" height={200} />
      )}
    </Section>
  );
}

/** Months; 0 = for ever. */
type Values = Record<(typeof kinds)[number], number>;

const toForm = ({ chats, files, recordings }: Retention): Values => ({
  chats: chats ?? 0,
  files: files ?? 0,
  recordings: recordings ?? 0,
});
const toRetention = ({ chats, files, recordings }: Values): Retention => ({
  chats: chats || null,
  files: files || null,
  recordings: recordings || null,
});

function Editor({ stored }: { stored: Stored }) {
  const [read, setRead] = useState(stored);
  const form = useForm<Values>({ defaultValues: toForm(read) });
  const stale = useStale(form);
  useUnsaved(form);
  const { attempt, dialog } = useConfirmed();
  const client = useQueryClient();

  async function submit() {
    const { shown, takeOver } = beginSave(form);
    const chosen = toRetention(shown);
    async function done(version: number) {
      setRead({ ...chosen, version });
      takeOver(shown);
      stale.clear();
      toast.success(texts.saved);
      await invalidate(client, [getCompany, getRetention]);
    }
    const counted = await attempt(() => {
      const query = Object.fromEntries(Object.entries(chosen).filter(([, months]) => months !== null));
      return send(countOverdue, { query });
    });
    if (!counted || !(await askAbout(counted.result))) return;
    try {
      const saved = await attempt(() => send(saveRetention, { body: { ...chosen, version: read.version } }));
      if (saved) await done(saved.result.version);
    } catch (error) {
      if (!isRefusal(error, 'stale')) throw error;
      const fresh = await send(getRetention);
      if (isStored(shown, toForm(fresh))) return done(fresh.version);
      setRead(fresh);
      stale.merge(toForm(fresh));
    }
  }

  return (
    <>
      <Form form={form} onSubmit={submit}>
        <StaleNotice stale={stale} labels={texts.labels} show={(name, values) => termText(values[name] ?? 0)} />
        <Box sx={{ display: 'grid', gap: 2 }}>
          {kinds.map((kind) => (
            <Term key={kind} kind={kind} stored={toForm(read)[kind]} />
          ))}
        </Box>
        <Box>
          <SubmitButton disabled={!form.formState.isDirty}>{texts.save}</SubmitButton>
        </Box>
      </Form>
      {dialog}
    </>
  );
}

/** Asks whether what is older may be deleted. Nothing is asked when nothing is. */
async function askAbout(overdue: Overdue): Promise<boolean> {
  if (kinds.every((kind) => overdue[kind] === 0)) return true;
  const details = [texts.next(overdue), texts.warning];
  return confirm({ text: texts.question, details, yes: texts.yes, no: texts.no, danger: true });
}

const termText = (months: number): string => (months === 0 ? texts.forEver : texts.months(months));

/** `stored`: months, 0 = for ever. */
function Term({ kind, stored }: { kind: (typeof kinds)[number]; stored: number }) {
  const chosen = useWatch<Values, typeof kind>({ name: kind });
  const offered = [...new Set([0, ...terms, stored, chosen])].toSorted((a, b) => a - b);
  return (
    <SelectInput
      name={kind}
      label={texts.labels[kind]}
      options={offered.map((months) => ({ value: months, label: termText(months) }))}
    />
  );
}
