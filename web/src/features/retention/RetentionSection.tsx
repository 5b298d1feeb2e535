import { Alert, Box, MenuItem, Skeleton, TextField } from '@mui/material';
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
import { send } from '../../api/send.ts';
import { invalidate, useRead } from '../../api/use-call.ts';
import { Button } from '../../ui/Button.tsx';
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
      {read.data ? (
        <Editor key={read.data.version} stored={read.data} onChange={() => void read.refetch()} />
      ) : read.error ? (
        <LoadError error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton variant="rounded" height={200} />
      )}
    </Section>
  );
}

function Editor({ stored, onChange }: { stored: Stored; onChange: () => void }) {
  const { version, ...kept } = stored;
  const [chosen, setChosen] = useState<Retention>(kept);
  const { run, dialog } = useConfirmed();
  const client = useQueryClient();
  const isChanged = kinds.some((kind) => chosen[kind] !== kept[kind]);

  async function save() {
    const counted = await run(() => {
      const query = Object.fromEntries(Object.entries(chosen).filter(([, months]) => months !== null));
      return send(countOverdue, { query });
    });
    if (!counted || !(await askAbout(counted.result))) return;
    if (await run(() => send(saveRetention, { body: { ...chosen, version } }))) {
      toast.success(texts.saved);
      await invalidate(client, [getCompany]);
    }
    onChange();
  }

  return (
    <>
      <Box sx={{ display: 'grid', gap: 2 }}>
        {kinds.map((kind) => (
          <Term
            key={kind}
            label={texts.labels[kind]}
            value={chosen[kind]}
            onChange={(months) => setChosen({ ...chosen, [kind]: months })}
          />
        ))}
      </Box>
      <Box>
        <Button look="primary" disabled={!isChanged} onClick={() => void save()}>
          {texts.save}
        </Button>
      </Box>
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

interface TermProps {
  label: string;
  /** Null = for ever. */
  value: number | null;
  onChange: (months: number | null) => void;
}

function Term({ label, value, onChange }: TermProps) {
  const offered = value === null || terms.includes(value) ? terms : [...terms, value].toSorted((a, b) => a - b);
  return (
    <TextField
      select
      fullWidth
      label={label}
      value={value ?? 0}
      onChange={(event) => onChange(Number(event.target.value) || null)}
    >
      <MenuItem value={0}>{texts.forEver}</MenuItem>
      {offered.map((months) => (
        <MenuItem key={months} value={months}>
          {texts.months(months)}
        </MenuItem>
      ))}
    </TextField>
  );
}
