import { Alert, Box, Typography } from '@mui/material';
import { useState } from 'react';
import { ProblemError } from '../../api/problem.ts';
import { StaleNotice } from '../../form/StaleNotice.tsx';
import { BottomSheet } from '../../ui/BottomSheet.tsx';
import { Button, type ButtonLook } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { DialogFrame } from '../../ui/DialogFrame.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { Choices, Fields, Rows, TextFields } from './Fields.tsx';
import { Lists, Tables, Tools } from './Lists.tsx';
import { Loading } from './Loading.tsx';
import { PatientsPage, PatientsPages } from './PatientsPages.tsx';
import { row, Still } from './parts.tsx';
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
        <TextFields />
        <Choices />
        <Rows />
        <Dialogs />
        <Messages />
        <Notices />
        <Lists />
        <Tables />
        <Tools />
        <Loading />
        <PatientsPages />
        <PatientsPage />
      </Box>
    </Page>
  );
}

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
  const [sheet, setSheet] = useState<'modal' | 'free'>();
  const closeSheet = () => setSheet(undefined);
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
        <Button look="secondary" onClick={() => setSheet('modal')}>
          {texts.openSheet}
        </Button>
        <Button look="secondary" onClick={() => setSheet('free')}>
          {texts.openFreeSheet}
        </Button>
      </Box>
      <BottomSheet
        open={sheet !== undefined}
        modal={sheet === 'modal'}
        title={texts.sheet.title}
        onClose={closeSheet}
        actions={
          <>
            <Button look="primary" onClick={closeSheet}>
              {texts.sheet.yes}
            </Button>
            <Button look="quiet" onClick={closeSheet}>
              {texts.sheet.no}
            </Button>
          </>
        }
      >
        <Typography>{texts.sheet.text}</Typography>
      </BottomSheet>
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

/** Notices above forms and pages. */
function Notices() {
  const ignored = () => undefined;
  return (
    <Section title="Notices">
      {/* It takes the focus when it appears. */}
      <Still>
        <StaleNotice
          stale={{ conflicts, merge: ignored, adopt: ignored, takeStored: ignored, clear: ignored }}
          labels={texts.staleLabels}
        />
      </Still>
      <LoadError
        error={new ProblemError({ status: 403, code: 'not-allowed', detail: texts.refused })}
        onRetry={ignored}
      />
    </Section>
  );
}

/** What another user has stored; the notice says of the last one only that there are others. */
const conflicts = { lastName: 'Lindqvist', email: '', isActive: true, note: '' };
