import { Alert, AlertTitle, Box, Chip, TextField, Typography } from '@mui/material';
import { updateNotes } from '@roomside/contract/appointments/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { send } from '../../api/send.ts';
import { useLeaveQuestion } from '../../form/use-unsaved.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { texts } from './edit-texts.ts';
import { notesDrafts } from './notes-drafts.ts';
import { createNotesSaver, type NotesSaver, type NotesState, notesDelay } from './notes-saver.ts';

interface Props {
  userId: number;
  appointmentId: number;
  notes: string;
  notesVersion: number;
}

/** The notes of an appointment; they are saved apart from the form (STATE-20). */
export function NotesPanel({ userId, appointmentId, notes, notesVersion }: Props) {
  const [saver] = useState(() =>
    createNotesSaver({
      notes,
      notesVersion,
      delayMs: notesDelay.form,
      drafts: notesDrafts(userId, appointmentId),
      save: async (text, version) => {
        const body = { notes: text, notesVersion: version };
        return (await send(updateNotes, { params: { appointmentId }, body })).notesVersion;
      },
    }),
  );
  const state = useSyncExternalStore(saver.subscribe, saver.getState);
  useEffect(() => saver.adopt(notes, notesVersion), [saver, notes, notesVersion]);
  // Leaving the page saves; only unsaved text is a reason to ask.
  useEffect(() => {
    saver.start();
    return () => void saver.stop();
  }, [saver]);
  useWarnBeforeClosing(state.status === 'typing' || state.status === 'saving');
  useLeaveQuestion(['failed', 'refused', 'conflict'].includes(state.status), texts.notesLeave);

  return (
    <Section title={texts.notes}>
      <TextField
        value={state.text}
        onChange={(event) => saver.change(event.target.value)}
        onBlur={() => void saver.flush()}
        multiline
        minRows={4}
        maxRows={16}
        fullWidth
        error={state.status === 'refused'}
        helperText={
          <>
            <span>{state.error ?? texts.notesHint}</span>
            <Badge status={state.status} />
          </>
        }
        slotProps={{
          htmlInput: { maxLength: limits.notes, 'aria-label': texts.notes },
          formHelperText: {
            sx: { display: 'flex', justifyContent: 'space-between', alignItems: 'center', gap: 1, minHeight: 24 },
          },
        }}
      />
      {state.status === 'conflict' && <Conflict other={state.other ?? ''} onAnswer={saver.resolve} />}
    </Section>
  );
}

function Badge({ status }: { status: NotesState['status'] }) {
  return (
    <span role="status">
      {status === 'saved' && <Chip size="small" color="success" variant="outlined" label={texts.saved} />}
      {status === 'saving' && texts.saving}
      {status === 'failed' && texts.notesFailed}
    </span>
  );
}

function Conflict({ other, onAnswer }: { other: string; onAnswer: NotesSaver['resolve'] }) {
  return (
    <Alert severity="warning" role="alert">
      <AlertTitle>{texts.notesConflict}</AlertTitle>
      <Typography variant="body2" sx={{ fontWeight: 600 }}>
        {texts.notesTheirs}
      </Typography>
      <Box component="blockquote" sx={quote}>
        {other || texts.none}
      </Box>
      {texts.notesMine}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1.5 }}>
        <Button look="primary" size="small" onClick={() => onAnswer('both')}>
          {texts.keepBoth}
        </Button>
        <Button look="quiet" size="small" onClick={() => onAnswer('mine')}>
          {texts.keepMine}
        </Button>
        <Button look="quiet" size="small" onClick={() => onAnswer('theirs')}>
          {texts.useTheirs}
        </Button>
      </Box>
    </Alert>
  );
}

const quote = {
  m: 0,
  my: 1,
  pl: 1.5,
  borderLeft: '3px solid var(--rs-line-strong)',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  maxHeight: 240,
  overflowY: 'auto',
} as const;

function useWarnBeforeClosing(holds: boolean): void {
  useEffect(() => {
    if (!holds) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [holds]);
}
