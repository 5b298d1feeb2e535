import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import { Alert, Badge, Box, Card, Divider, Link, MenuItem, Tab, Tabs, Typography } from '@mui/material';
import { statuses } from '@roomside/contract/appointments/status.ts';
import { type ReactNode, useState } from 'react';
import { Button, type ButtonLook } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { DialogFrame } from '../../ui/DialogFrame.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Button as LightButton } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { TextField as LightTextField } from '../../ui/light/TextField.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { CardsSkeleton, DaySkeleton, FormSkeleton } from '../../ui/Skeletons.tsx';
import { ToolSelect } from '../../ui/ToolSelect.tsx';
import { toast } from '../../ui/toast.ts';
import { StatusBadge } from '../appointments/StatusBadge.tsx';
import { Fields } from './Fields.tsx';
import { Dates, Tokens } from './Tokens.tsx';
import { texts } from './texts.ts';

const looks: readonly ButtonLook[] = ['primary', 'secondary', 'quiet', 'urgent', 'danger', 'danger-primary'];

/** Every component in each of its states, with made-up content: for looking, and for the pictures that browser tests compare. */
export function DesignPage() {
  return (
    <Page title={texts.title} width="form">
      <Box sx={{ display: 'grid', gap: 2.5 }}>
        <Tokens />
        <Dates />
        <Buttons />
        <Fields />
        <Dialogs />
        <Messages />
        <Lists />
        <Waiting />
        <Light />
      </Box>
    </Page>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5 } as const;

function Buttons() {
  return (
    <Section title="Buttons">
      {looks.map((look) => (
        <Box key={look} sx={row}>
          <Button look={look}>{texts.looks[look]}</Button>
          <Button look={look} size="small">
            {texts.small}
          </Button>
          <Button look={look} disabled>
            {texts.disabled}
          </Button>
          <Button look={look} loading loadingPosition="start" startIcon={null}>
            {texts.busy}
          </Button>
        </Box>
      ))}
    </Section>
  );
}

function Dialogs() {
  const [open, setOpen] = useState(false);
  const ask = (danger: boolean) =>
    void confirm({ ...texts.question, details: texts.details, yes: danger ? texts.remove : texts.send, danger });
  return (
    <Section title="Dialogs">
      <Box sx={row}>
        <Button look="secondary" onClick={() => ask(false)}>
          {texts.openQuestion}
        </Button>
        <Button look="secondary" onClick={() => ask(true)}>
          {texts.openDanger}
        </Button>
        <Button look="secondary" onClick={() => setOpen(true)}>
          {texts.openDialog}
        </Button>
      </Box>
      {open && (
        <DialogFrame
          title={texts.dialogTitle}
          text={texts.dialogText}
          onClose={() => setOpen(false)}
          actions={
            <>
              <Button look="quiet" onClick={() => setOpen(false)}>
                {texts.cancel}
              </Button>
              <Button look="primary" onClick={() => setOpen(false)}>
                {texts.send}
              </Button>
            </>
          }
        />
      )}
    </Section>
  );
}

function Messages() {
  return (
    <Section title="Messages">
      {(['info', 'success', 'warning', 'error'] as const).map((kind) => (
        <Alert key={kind} severity={kind}>
          {texts.messages[kind]}
        </Alert>
      ))}
      <LoadError error={new Error('unreachable')} onRetry={() => undefined} />
      <Box sx={row}>
        {(['info', 'success', 'warning', 'error'] as const).map((kind) => (
          <Button key={kind} look="secondary" size="small" onClick={() => toast[kind](texts.messages[kind])}>
            {texts.toastOf[kind]}
          </Button>
        ))}
      </Box>
    </Section>
  );
}

function Lists() {
  const [provider, setProvider] = useState('0');
  const [tab, setTab] = useState(0);
  return (
    <Section title="Lists">
      <Box sx={row}>
        <ToolSelect label={texts.provider} value={provider} onChange={setProvider}>
          <MenuItem value="0">{texts.allProviders}</MenuItem>
          <MenuItem value="1">Maya Reyes</MenuItem>
        </ToolSelect>
        <Badge badgeContent={3} color="error">
          <Link href="#/dev/design">{texts.link}</Link>
        </Badge>
      </Box>
      <Tabs value={tab} onChange={(_event, next: number) => setTab(next)}>
        {texts.tabs.map((label) => (
          <Tab key={label} label={label} />
        ))}
      </Tabs>
      <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} statusTooltip="" />
        ))}
      </Box>
      <Divider />
      <EmptyState
        icon={<EventBusyOutlinedIcon />}
        text={texts.empty}
        hint={texts.emptyHint}
        action={<Button look="primary">{texts.add}</Button>}
      />
    </Section>
  );
}

function Waiting() {
  return (
    <Section title="Loading">
      <Shape name={texts.form}>
        <FormSkeleton sections={[4]} />
      </Shape>
      <Shape name={texts.cards}>
        <CardsSkeleton cards={2} />
      </Shape>
      <Shape name={texts.day}>
        <DaySkeleton />
      </Shape>
    </Section>
  );
}

function Shape({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {name}
      </Typography>
      {children}
    </div>
  );
}

/** What patients see. */
function Light() {
  const [code, setCode] = useState('');
  return (
    <Section title="Patients’ pages">
      <Card sx={{ display: 'grid', gap: 2, p: 2, bgcolor: 'background.default' }}>
        <LightTextField label={texts.code} value={code} onChange={setCode} hint={texts.codeHint} />
        <LightTextField label={texts.code} value="ABC" onChange={() => undefined} error={texts.codeError} />
        <Notice kind="info">{texts.messages.info}</Notice>
        <Notice kind="success">{texts.messages.success}</Notice>
        <Notice kind="error">{texts.messages.error}</Notice>
        <Box sx={row}>
          <LightButton>{texts.looks.primary}</LightButton>
          <LightButton look="secondary">{texts.looks.secondary}</LightButton>
          <LightButton look="quiet">{texts.looks.quiet}</LightButton>
          <LightButton look="danger">{texts.looks.danger}</LightButton>
          <LightButton look="danger-primary">{texts.looks['danger-primary']}</LightButton>
          <LightButton busy>{texts.busy}</LightButton>
        </Box>
      </Card>
    </Section>
  );
}
