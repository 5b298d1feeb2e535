import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import RadioButtonUncheckedIcon from '@mui/icons-material/RadioButtonUnchecked';
import { Box, Link, TextField, Typography } from '@mui/material';
import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import {
  dismissFirstSteps,
  type FirstStep,
  firstStepNames,
  getFirstSteps,
  noteBookingLink,
  startTestVisit,
} from '@roomside/contract/first-steps/calls.ts';
import { type ReactNode, useState } from 'react';
import { send } from '../../api/send.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { absoluteLink, to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { later } from '../../ui/later.tsx';
import { Section } from '../../ui/Section.tsx';
import { texts } from './texts.ts';

// The QR code's encoder is loaded when it is needed.
const TestVisitDialog = later(async () => (await import('./TestVisitDialog.tsx')).TestVisitDialog);

type Steps = ResultOf<typeof getFirstSteps>;

/** A new clinic's way to its first visit, on the first page of administrators until it is done or hidden. */
export function FirstSteps() {
  const { data } = useRead(getFirstSteps, undefined, { staleTime: 0 });
  if (!data || data.dismissed || firstStepNames.every((name) => data.done[name])) return null;
  return <Steps steps={data} />;
}

function Steps({ steps }: { steps: Steps }) {
  const dismiss = useChange(dismissFirstSteps, { invalidates: [getFirstSteps], success: texts.dismissed });
  const done = firstStepNames.filter((name) => steps.done[name]).length;
  const ways: Record<FirstStep, ReactNode> = {
    hours: (
      <Button look="secondary" to={to.adminSchedulingEdit({ ruleId: 0 })}>
        {texts.hours}
      </Button>
    ),
    colleagues: (
      <Button look="secondary" to={to.adminUserEdit({ id: 0 })}>
        {texts.colleagues}
      </Button>
    ),
    bookingLink: <BookingLink steps={steps} />,
    testVisit: <TestVisit />,
  };
  return (
    <Section title={texts.title}>
      <Typography color="textSecondary">{texts.intro}</Typography>
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {firstStepNames.map((name) => (
          <Step
            key={name}
            name={name}
            isDone={steps.done[name]}
            {...(name === 'bookingLink' && !steps.genericSchedule && { note: texts.bookingOff })}
          >
            {ways[name]}
          </Step>
        ))}
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <Typography variant="body2" color="textSecondary" sx={{ mr: 'auto' }}>
          {texts.progress(done, firstStepNames.length)}
        </Typography>
        <Button look="quiet" loading={dismiss.isPending} onClick={() => dismiss.mutate({})}>
          {texts.dismiss}
        </Button>
      </Box>
    </Section>
  );
}

interface StepProps {
  name: FirstStep;
  isDone: boolean;
  /** What is in the way. */
  note?: string;
  children: ReactNode;
}

function Step({ name, isDone, note, children }: StepProps) {
  const { title, text } = texts.steps[name];
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        // On a narrow screen the buttons are below the text.
        gridTemplateColumns: { xs: 'auto 1fr', md: 'auto 1fr auto' },
        gap: 1.5,
        alignItems: 'center',
        py: 1.5,
        borderBottom: '1px solid var(--rs-line)',
      }}
    >
      {isDone ? <CheckCircleOutlinedIcon color="success" /> : <RadioButtonUncheckedIcon color="disabled" />}
      <Box sx={{ minWidth: 0 }}>
        <Typography sx={{ fontWeight: 600 }}>{title}</Typography>
        <Typography variant="body2" color="textSecondary">
          {text}
        </Typography>
        {note && !isDone && <Typography variant="body2">{note}</Typography>}
      </Box>
      <Box
        sx={{
          gridColumn: { xs: 2, md: 3 },
          display: 'flex',
          flexWrap: 'wrap',
          gap: 1.5,
          alignItems: 'center',
          maxWidth: { md: 360 },
        }}
      >
        {isDone ? <Typography>{texts.done}</Typography> : children}
      </Box>
    </Box>
  );
}

function BookingLink({ steps: { companyUid, genericSchedule } }: { steps: Steps }) {
  const note = useChange(noteBookingLink, { invalidates: [getFirstSteps] });
  const [isShown, setShown] = useState(false);
  const path = to.patientBook({ companyUid });
  if (!genericSchedule)
    return (
      <Button look="secondary" to={to.adminCompanyOwn()}>
        {texts.companyInfo}
      </Button>
    );
  const link = absoluteLink(path);
  async function copy() {
    if (await copyText(link, texts.copied)) note.mutate({});
    else setShown(true);
  }
  return (
    <>
      <Button look="secondary" onClick={() => void copy()}>
        {texts.copy}
      </Button>
      <Link href={`#${path}`} target="_blank" rel="noreferrer" onClick={() => note.mutate({})}>
        {texts.open}
      </Link>
      {isShown && (
        <TextField
          autoFocus
          fullWidth
          value={link}
          onFocus={(event) => event.target.select()}
          slotProps={{ input: { readOnly: true }, htmlInput: { 'aria-label': texts.copy } }}
        />
      )}
    </>
  );
}

function TestVisit() {
  const [visit, setVisit] = useState<{ code: string; uid: string }>();
  const start = useChange(startTestVisit, {
    onSuccess: async ({ appointmentId, appointmentUid: uid }) => {
      const { accessCode: code } = await send(getAppointment, { params: { appointmentId }, query: {} });
      setVisit({ code, uid });
    },
  });
  return (
    <>
      <Button look="primary" loading={start.isPending} onClick={() => start.mutate({})}>
        {texts.testVisit}
      </Button>
      {visit && <TestVisitDialog {...visit} onClose={() => setVisit(undefined)} />}
    </>
  );
}
