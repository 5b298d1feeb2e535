import { TextField } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import { writeToPatient } from '@roomside/contract/waiting-room/calls.ts';
import { type FormEvent, useRef, useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

interface Props {
  uid: string;
  name: string;
  onClose: () => void;
}

/** Writes to a patient who waits. What was typed stays when the sending fails. */
export function WriteDialog({ uid, name, onClose }: Props) {
  const [draft, setDraft] = useState('');
  const [isMissing, setMissing] = useState(false);
  const lastTry = useRef({ key: '', payload: '' });
  const write = useChange(writeToPatient);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const payload = draft.trim();
    if (payload.length < limits.chatMin) return setMissing(true);
    // A repeat after a lost answer is the same message; a changed text is another one.
    if (lastTry.current.payload !== payload) lastTry.current = { key: crypto.randomUUID(), payload };
    const sent = await write.mutateAsync({ params: { uid }, body: lastTry.current }).catch(() => undefined);
    if (sent === undefined) return;
    toast.success(texts.sent(name));
    onClose();
  }

  return (
    <DialogFrame title={texts.writeTo(name)} text={texts.writeHint} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          autoFocus
          fullWidth
          multiline
          minRows={3}
          margin="normal"
          label={texts.message}
          value={draft}
          error={isMissing}
          helperText={isMissing ? texts.required : `${draft.length}/${limits.chatMax}`}
          onChange={(event) => {
            setDraft(event.target.value);
            setMissing(false);
          }}
          slotProps={{ htmlInput: { maxLength: limits.chatMax } }}
        />
        <DialogFormActions>
          <Button look="quiet" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button look="primary" type="submit" disabled={write.isPending}>
            {texts.send}
          </Button>
        </DialogFormActions>
      </form>
    </DialogFrame>
  );
}
